package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/middleware"
)

// sdkResponse passes the SDK's response on, with the id as it was sent. A refusal in
// plain text becomes a JSON-RPC error.
type sdkResponse struct {
	http.ResponseWriter
	request *http.Request
	id      json.RawMessage
	// refused is the status of a refusal in plain text.
	refused int
	// err is why the response could not be sent whole.
	err error
}

// WriteHeader forwards the status, unless it begins a refusal in plain text.
func (w *sdkResponse) WriteHeader(status int) {
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.refused = status
		return
	}
	// The SDK asks caches to revalidate; they must store nothing.
	w.Header().Set("Cache-Control", "private, no-store")
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a message, which the SDK writes at once.
func (w *sdkResponse) Write(b []byte) (int, error) {
	if w.refused != 0 {
		w.writeRefusal(strings.TrimSpace(string(b)))
		return len(b), nil
	}
	w.Header().Set("Cache-Control", "private, no-store")
	if w.Header().Get("Content-Type") == "application/json" {
		_, w.err = w.ResponseWriter.Write(w.withID(b))
	} else {
		_, w.err = w.ResponseWriter.Write(b) // an event of a subscription
	}
	return len(b), w.err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *sdkResponse) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *sdkResponse) writeRefusal(text string) {
	e := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
	switch {
	case w.refused >= http.StatusInternalServerError:
		e.Code = jsonrpc.CodeInternalError
	case strings.HasPrefix(text, "JSON RPC not handled"):
		// Of the newest revision the SDK itself answers with 404. Clients of the older
		// ones read a message only with 200.
		e.Code, w.refused = jsonrpc.CodeMethodNotFound, http.StatusOK
	}
	writeError(w.ResponseWriter, w.request, w.refused, w.id, e)
}

// withID puts the id that was sent in the place of the SDK's, and notes the code of an
// error for the log.
func (w *sdkResponse) withID(response []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(response))
	for range 4 { // {"jsonrpc":"2.0","id"
		_, _ = decoder.Token()
	}
	_, _ = decoder.Token()
	rest := response[decoder.InputOffset():]
	if member, _ := decoder.Token(); member == "error" {
		var e jsonrpc.Error
		_ = decoder.Decode(&e)
		middleware.RecordFrom(w.request.Context()).Err = fmt.Errorf("jsonrpc_%d", e.Code)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s%s`, w.id, rest)
}
