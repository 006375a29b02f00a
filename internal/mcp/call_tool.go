package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/server"
)

// limits keeps a response within about 48 KiB, which are about 12 thousand tokens.
// Some hosts cut at 25 thousand. What is beside a page takes up to 6 KiB.
var limits = middleware.Limits{PageBytes: 42 << 10, MaxIDs: 100, MaxRows: 100}

// toolHandler runs the calls of one tool that come through the SDK.
func (h *Handler) toolHandler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		current := requestFrom(ctx)
		if current == nil {
			return nil, errors.New("a tool was called outside a request")
		}
		arguments, err := parseArguments(call.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		return result(h.run(current, t, arguments)), nil
	}
}

// run runs a call in the request's own context: the SDK lets calls of the
// older revisions outlive their request.
func (h *Handler) run(current *request, t tool, arguments []server.Argument) server.CallResponse {
	return h.api.Do(current.ctx, server.Call{
		Operation: t.Operation, LogName: t.Name, Arguments: arguments, Limits: limits, Flags: t.Flags,
		CheckSize: current.sizeLimit(t),
	})
}

// result turns a response into a tool's result. An error has no structured
// content, since MCP clients check that against the output schema.
func result(response server.CallResponse) *sdk.CallToolResult {
	text := render.AppendCompact(response.Body[:0], response.Body)
	made := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}
	if made.IsError = response.Status != http.StatusOK; !made.IsError {
		made.StructuredContent = json.RawMessage(text)
	}
	return made
}
