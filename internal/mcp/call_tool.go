package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/server"
)

// toolHandler runs the calls of one tool.
func (h *Handler) toolHandler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		given, err := t.parseArguments(call.Params.Arguments)
		if refused, ok := errors.AsType[*apierror.Error](err); ok {
			return refusal(envelope{refused.Message, refused.Details, refused.Code}), nil
		}
		if err != nil {
			return nil, err
		}
		return h.call(requestContext(ctx), t, given)
	}
}

// call runs the operation behind a tool and brings its response within the budget.
func (h *Handler) call(ctx context.Context, t tool, given arguments) (*sdk.CallToolResult, error) {
	for {
		response := h.api.Do(ctx, server.Call{
			Operation: t.Operation, LogName: t.Name, Query: given.query, MaxRows: given.bound("include_rows", maxEntries),
		})
		if response.Status != http.StatusOK {
			return t.refused(response)
		}
		read, err := readAnswer(response.Body)
		if err != nil {
			return nil, err
		}
		fits, err := read.rowsThatFit()
		if err != nil {
			return nil, err
		}
		if fits < read.meta.Count {
			// The page ends early, and its cursor goes on there.
			given.query.Set("limit", strconv.Itoa(fits))
			continue
		}
		if err := read.leaveOut(t, given); err != nil {
			return nil, err
		}
		text, err := encode(read)
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{
			Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
		}, nil
	}
}

// envelope is the body of every error.
type envelope struct {
	Error   string `json:"error"`
	Details string `json:"details,omitempty"`
	Code    string `json:"code"`
}

// refused is the result of a call that the operation refused.
func (t tool) refused(response server.CallResponse) (*sdk.CallToolResult, error) {
	var e envelope
	if err := json.Unmarshal(response.Body, &e); err != nil {
		return nil, fmt.Errorf("reading a refusal: %w", err)
	}
	if response.Status == http.StatusRequestEntityTooLarge {
		e.Details += "; " + t.Narrower
	}
	if seconds := response.Header.Get("Retry-After"); seconds != "" { // a result has no headers
		e.Details = strings.TrimPrefix(e.Details+"; retry after "+seconds+" seconds", "; ")
	}
	return refusal(e), nil
}

// argumentWords are those of REST for what a tool calls arguments.
var argumentWords = strings.NewReplacer(
	"query parameter", "argument", "is not a parameter of this route", "is not an argument of this tool", apierror.AboutPlus, "")

// refusal has no structured content, since MCP clients check that against the output
// schema.
func refusal(e envelope) *sdk.CallToolResult {
	e.Error, e.Details = argumentWords.Replace(e.Error), argumentWords.Replace(e.Details)
	text, _ := encode(e) // texts
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, IsError: true}
}

// encode returns compact JSON.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // agents pay for each character
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding a result: %w", err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
