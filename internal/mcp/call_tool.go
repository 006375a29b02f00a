package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/server"
)

// toolHandler runs the calls of one tool. What goes wrong is a result too.
func (h *Handler) toolHandler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		client := auth.CallerFrom(ctx).ClientID
		if err := h.calls.Acquire(ctx, client, callTimeout); err != nil {
			return t.refusal(apierror.Unavailable(fmt.Errorf("waiting for the client's other calls: %w", err))), nil
		}
		defer h.calls.Release(client)
		answer, err := h.call(ctx, t, call.Params.Arguments)
		if err != nil {
			return t.refusal(err), nil
		}
		text := encode(answer)
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// call runs the operation behind a tool and brings its response within the budget.
func (h *Handler) call(ctx context.Context, t tool, arguments json.RawMessage) (*answer, error) {
	query, flags, err := t.parseArguments(arguments)
	if err != nil {
		return nil, err
	}
	if !flags["include_transcripts"] { // as for a key that may not read them
		caller := auth.CallerFrom(ctx)
		caller.Scopes = slices.DeleteFunc(slices.Clone(caller.Scopes), func(s auth.Scope) bool { return s == auth.ReadTranscripts })
		ctx = auth.WithCaller(ctx, caller)
	}
	call := server.Call{Operation: t.Operation, LogName: t.Tool.Name, Query: query, MaxRows: maxEntries}
	if flags["include_rows"] {
		call.MaxRows = 0
	}
	for {
		body, err := h.api.Do(ctx, call)
		if err != nil {
			return nil, err
		}
		answer, err := readAnswer(body)
		if err != nil {
			return nil, err
		}
		rows, hasMore := answer.rowsThatFit()
		if !hasMore {
			answer.leaveOut(flags)
			if answer.isEmpty() {
				answer.Hints = append(answer.Hints, h.explainEmpty(ctx, t, query)...)
			}
			return answer, nil
		}
		// The page ends early, and its cursor goes on there.
		call.Query.Set("limit", strconv.Itoa(rows))
	}
}

// argumentWords are those of REST for what a tool calls arguments.
var argumentWords = strings.NewReplacer(
	"query parameter", "argument", "is not a parameter of this route", "is not an argument of this tool", apierror.AboutPlus, "")

// refusal has the envelope that REST has for an error, and no structured content, since
// MCP clients check that against the output schema.
func (t tool) refusal(err error) *sdk.CallToolResult {
	public := apierror.Public(err)
	details := public.Details
	if public.Kind == apierror.KindPayloadTooLarge {
		details += "; " + t.Narrower
	}
	if public.Code == "unknown_parameter" { // the details end with the operation's
		details = strings.Join(append([]string{details}, t.Flags...), ", ")
	}
	if public.RetryAfter > 0 { // a result has no headers
		details = strings.TrimPrefix(fmt.Sprintf("%s; retry after %d seconds", details, public.RetryAfter/time.Second), "; ")
	}
	text := encode(struct {
		Error   string `json:"error"`
		Details string `json:"details,omitempty"`
		Code    string `json:"code"`
	}{argumentWords.Replace(public.Message), argumentWords.Replace(details), public.Code})
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, IsError: true}
}

// encode returns a value, which is made of texts or was decoded, as compact JSON.
func encode(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // agents pay for each character
	_ = encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
