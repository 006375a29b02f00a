package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/apierror"
)

// codeServerError is the first of JSON-RPC's codes for errors of a server's own.
const codeServerError = -32000

// encodeRPCError is the response to the message with this id, null if it is unknown.
func encodeRPCError(id json.RawMessage, e jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	response, _ := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, e})
	return response
}

// encodeError encodes an error as MCP clients read it: one in the message as JSON-RPC's;
// a full quota and an unavailable service too where the caller names its revision, since
// the official MCP clients show nothing of another body. Everything else is REST's
// envelope.
func (c *request) encodeError(w http.ResponseWriter, r *http.Request, status int, e *apierror.Error, envelope []byte) []byte {
	rpc := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: e.Message, Data: envelope}
	switch {
	case status == http.StatusBadRequest && c.isNotJSON:
		rpc.Code = jsonrpc.CodeParseError
	case status == http.StatusBadRequest:
	case (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable) && r.Header.Get("Mcp-Protocol-Version") != "":
		rpc.Code = codeServerError
		if r.Method != http.MethodPost {
			break
		}
		if body, err := c.readBody(w, r); err == nil && checkMessage(body) == nil {
			_ = c.readMembers(body)
		}
	default:
		return envelope
	}
	if e.Details != "" {
		rpc.Message += ": " + e.Details
	}
	if e.RetryAfter > 0 {
		rpc.Message += fmt.Sprintf("; retry after %d seconds", e.RetryAfter/time.Second)
	}
	return encodeRPCError(c.id, rpc)
}

// writeUnknownMethod writes the error of a request that is right but for its method.
func (c *request) writeUnknownMethod(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(encodeRPCError(c.id, jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}))
}

// readMembers sets a message's members and its id, nil if it has none. The SDK
// reads numbers as floats and repairs text, so an id that it would alter is refused.
func (c *request) readMembers(body []byte) error {
	if err := json.Unmarshal(body, &c.members); err != nil {
		return apierror.MalformedMessage("the body is not valid JSON").Because(err)
	}
	id, given := c.members["id"]
	const exact = 1 << 53
	n, _ := strconv.ParseInt(string(id), 10, 64)
	isExact := strconv.FormatInt(n, 10) == string(id) && -exact <= n && n <= exact
	if !given || id[0] == '"' && pairedSurrogates.Match(id) || isExact {
		c.id = id
		return c.checkMethod()
	}
	return apierror.MalformedMessage("the id is neither a text nor a whole number of at most 2^53, so it could not come back as it was sent")
}

// checkMethod refuses what is neither a request nor a response to one. The SDK would
// take it for a response, and its sender would wait for one.
func (c *request) checkMethod() error {
	method, named := c.members["method"]
	_, hasResult := c.members["result"]
	_, hasError := c.members["error"]
	switch {
	case named && method[0] != '"':
		return apierror.MalformedMessage("the method is not a text")
	case !named && hasResult == hasError:
		return apierror.MalformedMessage("the message has no method, and is no answer either: that has result or error")
	}
	return nil
}
