package mcp

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/openapi"
)

// listTTL is how long a client may keep the list of tools, in milliseconds. It
// changes with the key or the release only.
const listTTL = 5 * 60 * 1000

// catalogue keeps a protocol server for each set of tools that keys can see. A
// tool that is not in a key's set does not exist there, and is answered so.
type catalogue struct {
	version  string
	tools    []tool
	declared []*sdk.Tool
	handler  func(tool) sdk.ToolHandler
	allows   func(access.Caller, string) bool

	mu      sync.Mutex
	servers map[uint]*sdk.Server // by the set's bits
}

func newCatalogue(
	version string, handler func(tool) sdk.ToolHandler, allows func(access.Caller, string) bool,
) (*catalogue, error) {
	schemas, err := openapi.ReadSchemas()
	if err != nil {
		return nil, err
	}
	c := &catalogue{version: version, tools: tools(), handler: handler, allows: allows, servers: map[uint]*sdk.Server{}}
	for _, t := range c.tools {
		declared, err := declare(t, schemas)
		if err != nil {
			return nil, fmt.Errorf("declaring %s: %w", t.name, err)
		}
		c.declared = append(c.declared, declared)
	}
	return c, nil
}

// declare says what the protocol wants to know of a tool.
func declare(t tool, schemas *openapi.Schemas) (*sdk.Tool, error) {
	input, err := schemas.Parameters(t.operation)
	if err != nil {
		return nil, err
	}
	output, err := schemas.Answer(t.operation)
	if err != nil {
		return nil, err
	}
	no := false
	return &sdk.Tool{
		Name: t.name, Title: t.title, Description: t.description(), InputSchema: input, OutputSchema: output,
		Annotations: &sdk.ToolAnnotations{
			Title: t.title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no,
		},
	}, nil
}

// serverFor is the server that knows what the caller may see.
func (c *catalogue) serverFor(caller access.Caller) *sdk.Server {
	var visible uint
	for i, t := range c.tools {
		if c.allows(caller, t.operation) {
			visible |= 1 << i
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.servers[visible] == nil {
		c.servers[visible] = c.newServer(visible)
	}
	return c.servers[visible]
}

func (c *catalogue) newServer(visible uint) *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "clientintel", Title: "Client Intelligence", Version: c.version},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Tools only: no logging, and a list that does not change under a client.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ sdk.Request, answer *sdk.Cacheable) {
				answer.TTLMs, answer.CacheScope = listTTL, "private"
			},
			SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18"},
		})
	server.AddReceivingMiddleware(onePage)
	for i, t := range c.tools {
		if visible&(1<<i) != 0 {
			server.AddTool(c.declared[i], c.handler(t))
		}
	}
	return server
}

// onePage refuses cursors of lists, as none is ever given. The library would
// decode them with gob, which is not made for what strangers send.
func onePage(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		var cursor string
		switch params := request.GetParams().(type) {
		case *sdk.ListToolsParams:
			if params != nil {
				cursor = params.Cursor
			}
		case *sdk.ListPromptsParams:
			if params != nil {
				cursor = params.Cursor
			}
		case *sdk.ListResourcesParams:
			if params != nil {
				cursor = params.Cursor
			}
		case *sdk.ListResourceTemplatesParams:
			if params != nil {
				cursor = params.Cursor
			}
		}
		if cursor != "" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is one page only; leave cursor out"}
		}
		return next(ctx, method, request)
	}
}
