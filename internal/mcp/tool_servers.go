package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// listTTL is how long an MCP client may keep the list of tools, in milliseconds. It
// changes with the key or the release only.
const listTTL = 5 * 60 * 1000

// declare describes a tool as the protocol has it.
func (x texts) declare(t tool, schemas openapi.Schemas) *sdk.Tool {
	input := schemas.Parameters
	for _, name := range t.Flags {
		flag := fmt.Sprintf(`,%q:{"type":"boolean","default":false,"description":%q}}}`, name, x.Flags[name])
		input = append(bytes.TrimSuffix(slices.Clone(input), []byte("}}")), flag...)
	}
	output := slices.Concat(json.RawMessage(fmt.Sprintf(`{"description":%q,`, t.Absent+" "+x.EveryMeta)), schemas.Answer[1:])
	return &sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Use + " " + x.EveryTool, InputSchema: input, OutputSchema: output,
		Annotations: &sdk.ToolAnnotations{
			Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(false),
		},
	}
}

// serverFor returns the protocol server with the tools that the caller may see.
// Any other tool does not exist there.
func (h *Handler) serverFor(r *http.Request) *sdk.Server {
	caller := auth.CallerFrom(r.Context())
	var visible uint
	for i, t := range h.tools {
		if h.api.Allows(caller, t.Operation) {
			visible |= 1 << i
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.servers[visible] == nil {
		h.servers[visible] = h.newServer(visible)
	}
	return h.servers[visible]
}

func (h *Handler) newServer(visible uint) *sdk.Server {
	server := sdk.NewServer(
		h.implementation,
		&sdk.ServerOptions{
			Instructions: instructions,
			// Tools only: no logging, and a list that does not change during a session.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, result *sdk.Cacheable) {
				result.TTLMs, result.CacheScope = listTTL, "private"
			},
			SupportedProtocolVersions: revisions,
		})
	for i, t := range h.tools {
		if visible&(1<<i) != 0 {
			server.AddTool(t.declaration, h.toolHandler(t))
		}
	}
	return server
}
