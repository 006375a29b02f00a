package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/server"
)

// writeResponse writes the SDK's response to a message, with the id as it was sent. What
// the SDK refuses in plain text becomes a JSON-RPC error.
func writeResponse(w http.ResponseWriter, r *http.Request, id json.RawMessage, response *server.Recorder) {
	status, body := response.Status, response.Body.Bytes()
	var sent struct {
		Result json.RawMessage
		Error  *jsonrpc.Error
	}
	switch contentType := response.Header().Get("Content-Type"); contentType {
	case "application/json":
		_ = json.Unmarshal(body, &sent) // the SDK encoded it
	case "text/event-stream", "": // a subscription ends at once; there is no response to a response
		w.Header()["Content-Type"] = response.Header()["Content-Type"]
		write(w, r, status, body)
		return
	default:
		sent.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(body))}
		if strings.HasPrefix(sent.Error.Message, "JSON RPC not handled") {
			// Clients of the older revisions read a message only with 200.
			status, sent.Error.Code = http.StatusOK, jsonrpc.CodeMethodNotFound
		}
	}
	if sent.Error != nil {
		writeError(w, r, status, id, *sent.Error)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	write(w, r, status, fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, sent.Result))
}

// write closes the connection if the body cannot be sent whole: the caller must not take a
// part for all of it.
func write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.WriteHeader(status)
	if _, err := w.Write(body); err != nil {
		middleware.RecordFrom(r.Context()).Err = err
		panic(http.ErrAbortHandler)
	}
}

// writeError writes a JSON-RPC error in response to the message with this id; nil: it is
// not known.
func writeError(w http.ResponseWriter, r *http.Request, status int, id json.RawMessage, e jsonrpc.Error) {
	middleware.RecordFrom(r.Context()).Err = fmt.Errorf("jsonrpc_%d", e.Code)
	w.Header().Set("Content-Type", "application/json")
	write(w, r, status, encodeError(id, e))
}

func encodeError(id json.RawMessage, e jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, _ := json.Marshal(e) // strings and JSON
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, encoded)
}

// encodeUnavailable makes a full quota and an unavailable service JSON-RPC errors: the
// official clients show nothing of another body. The message was not read, so its id is
// not known.
func encodeUnavailable(status int, e *apierror.Error, envelope []byte) []byte {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return envelope
	}
	text := fmt.Sprintf("%s; retry after %d seconds", e.Message, e.RetryAfter/time.Second)
	return encodeError(nil, jsonrpc.Error{Code: -32000, Message: text, Data: envelope})
}
