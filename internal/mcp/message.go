package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
)

// maxMessage is the largest body, in bytes.
const maxMessage = 1 << 20

// checkHeaders checks what the SDK does not check, or not in the contract's order.
func checkHeaders(h http.Header) error {
	if media, _, err := mime.ParseMediaType(h.Get("Content-Type")); err != nil || media != "application/json" {
		return apierror.UnsupportedMediaType("send Content-Type: application/json")
	}
	for media := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		if slices.Contains([]string{"application/json", "application/*", "*/*"}, strings.ToLower(strings.TrimSpace(media))) {
			return nil
		}
	}
	return apierror.NotAcceptable("send Accept: application/json")
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if _, larger := errors.AsType[*http.MaxBytesError](err); larger {
		return nil, apierror.PayloadTooLarge(fmt.Sprintf("a message has at most %d bytes", maxMessage))
	}
	if err != nil {
		return nil, apierror.MalformedMessage("the body did not come whole and in time").Because(err)
	}
	return body, nil
}

// message is what is read of a message before the SDK reads all of it.
type message struct {
	ID     json.RawMessage
	Method json.RawMessage
}

// parseMessage accepts one JSON object whose id can be sent back, and returns the id also
// of one that it refuses. The SDK takes batches, of which each call would have to count,
// and reads ids as floats.
func parseMessage(body []byte) (message, *jsonrpc.Error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the body is not valid JSON in UTF-8"}
	}
	var members map[string]json.RawMessage // a struct would match names in any case
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the body is not one JSON-RPC message, which is an object"}
	}
	m := message{members["id"], members["method"]}
	if _, err := strconv.ParseInt(string(m.ID), 10, 64); m.ID != nil && m.ID[0] != '"' && err != nil {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id is neither a string nor an integer of 64 bits"}
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(members["params"], &params) // the SDK says what is wrong with them
	if cursor := string(params["cursor"]); !slices.Contains([]string{"", "null", `""`}, cursor) {
		// The SDK would decode it with gob, which is unsafe for untrusted input.
		return m, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "each list is one page; leave cursor out"}
	}
	return m, nil
}

func (m message) isNotification() bool { return m.ID == nil && m.Method != nil && m.Method[0] == '"' }

// requestForSDK returns the request with its body, which was read. The SDK wants
// callers to accept streams too, which only subscriptions have here.
func requestForSDK(r *http.Request, body []byte) *http.Request {
	r = r.Clone(context.WithValue(r.Context(), requestContextKey{}, r.Context()))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Body = io.NopCloser(bytes.NewReader(body))
	return r
}

// writeError writes a JSON-RPC error in response to the message with this id; nil: it is
// not known.
func writeError(w http.ResponseWriter, r *http.Request, status int, id json.RawMessage, e jsonrpc.Error) {
	middleware.RecordFrom(r.Context()).Err = fmt.Errorf("jsonrpc_%d", e.Code)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encodeError(id, e))
}

func encodeError(id json.RawMessage, e jsonrpc.Error) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	encoded, _ := json.Marshal(e) // strings and JSON
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":%s}`, id, encoded)
}

// codeServerError is the first of JSON-RPC's codes for errors of a server's own.
const codeServerError = -32000

// encodeUnavailable makes a full quota and an unavailable service JSON-RPC errors: the
// official clients show nothing of another body. The message was not read, so its id is
// not known.
func encodeUnavailable(status int, e *apierror.Error, envelope []byte) []byte {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return envelope
	}
	text := fmt.Sprintf("%s; retry after %d seconds", e.Message, e.RetryAfter/time.Second)
	return encodeError(nil, jsonrpc.Error{Code: codeServerError, Message: text, Data: envelope})
}
