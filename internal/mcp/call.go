package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/httpapi"
)

// handler answers calls of one tool with what REST would answer.
func (a *Agents) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, call *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		v := visitFrom(ctx)
		if v == nil {
			return nil, errors.New("a tool was called outside a request")
		}
		arguments, err := parseArguments(call.Params.Arguments)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		// The request's own context: the library lets calls of the older
		// revisions outlive their request.
		reply := a.edge.Ask(v.ctx, httpapi.Question{
			Operation: t.operation, As: t.name, Arguments: arguments, Room: v.roomFor(t),
		})
		return result(reply), nil
	}
}

// result says a reply in the protocol's terms. A refusal has no structured
// content: clients hold that against the output schema, errors included.
func result(reply httpapi.Reply) *sdk.CallToolResult {
	var text bytes.Buffer
	if err := json.Compact(&text, reply.Body); err != nil {
		// Half an answer must not look whole.
		text.Reset()
		text.WriteString(`{"error":"internal error","code":"internal_error"}`)
		reply.Status = http.StatusInternalServerError
	}
	said := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text.String()}}}
	if reply.Status == http.StatusOK {
		said.StructuredContent = json.RawMessage(text.Bytes())
	} else {
		said.IsError = true
	}
	return said
}
