package mcp

import (
	"context"
	_ "embed" // the instructions
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/auth"
)

// tool is one tool and the operation that it calls. They are generated from
// openapi/tools.yaml and the contract.
type tool struct {
	Tool *sdk.Tool
	// Operation is the contract's operationId, and Narrower how to ask for less.
	Operation, Narrower string
	// Flags are the arguments that are no parameters of the operation. Of the others, some
	// are integers, and of some any text is taken.
	Flags, Integers, Texts []string
}

//go:embed instructions.txt
var instructions string

// serverFor returns the protocol server with the tools that the caller may see. Any other
// tool does not exist there.
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
	if server := h.servers[visible]; server != nil {
		return server
	}
	server := sdk.NewServer(
		&sdk.Implementation{Name: "clientintel", Title: "Client Intelligence", Version: h.version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Tools only: no logging, and a list that does not change during a session.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, result *sdk.Cacheable) {
				result.TTLMs, result.CacheScope = int((5 * time.Minute).Milliseconds()), "private"
			},
			SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18"},
		})
	for i, t := range h.tools {
		if visible&(1<<i) != 0 {
			server.AddTool(t.Tool, h.toolHandler(t))
		}
	}
	h.servers[visible] = server
	return server
}
