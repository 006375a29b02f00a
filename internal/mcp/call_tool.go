package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/httpapi"
	"github.com/clientintel/clientintel/internal/render"
)

// limits keeps a response within about 48 KiB, which are about 12 thousand tokens.
// Some hosts cut at 25 thousand. What is beside a page takes up to 6 KiB.
var limits = httpapi.ResponseLimits{PageBytes: 42 << 10, MaxIDs: 100, MaxRows: 100}

// maxResponse is the largest result of a tool, in bytes, unless it has one row
// alone, which no argument makes smaller. REST streams analytics; here a result is
// collected, and its message contains it twice.
const maxResponse = 8 << 20

// toolHandler runs the calls of one tool.
func (h *Handler) toolHandler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		arguments, err := parseArguments(call.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return result(h.run(requestContext(ctx), t, arguments)), nil
	}
}

func (h *Handler) run(ctx context.Context, t tool, arguments []httpapi.Argument) httpapi.CallResponse {
	return h.api.Do(ctx, httpapi.Call{
		Operation: t.Operation, LogName: t.Name, Arguments: arguments, Limits: limits, Flags: t.Flags,
		CheckSize: func(size, rows int) error {
			if size > maxResponse && rows != 1 {
				return apierror.PayloadTooLarge(fmt.Sprintf("the answer would be larger than %d MiB; %s", maxResponse>>20, t.Narrower))
			}
			return nil
		},
	})
}

// result turns a response into a tool's result. An error has no structured
// content, since MCP clients check that against the output schema.
func result(response httpapi.CallResponse) *sdk.CallToolResult {
	text := render.AppendCompact(response.Body[:0], response.Body)
	made := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
	if made.IsError = response.Status != http.StatusOK; !made.IsError {
		made.StructuredContent = json.RawMessage(text)
	}
	return made
}
