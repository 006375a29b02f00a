package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/apierror"
)

// maxErrorText is how many bytes of the SDK's text an error quotes.
const maxErrorText = 300

// errorRewriter withholds the SDK's plain-text errors, so that the caller
// gets the contract's envelope, rewrites its JSON-RPC errors, and keeps responses
// out of every cache.
type errorRewriter struct {
	http.ResponseWriter
	request     *request
	code        int64 // of the JSON-RPC error that was written; 0: none was
	isForwarded bool  // the status
	status      int   // of a withheld error
	text        []byte
	writeErr    error // why the response could not be sent whole
}

// WriteHeader forwards the status, unless it begins a plain-text error.
func (w *errorRewriter) WriteHeader(status int) {
	if w.isForwarded || w.status != 0 {
		return
	}
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.isForwarded = true
	// The SDK asks caches to revalidate; they must store nothing.
	w.Header().Set("Cache-Control", "private, no-store")
	w.ResponseWriter.WriteHeader(status)
}

func (w *errorRewriter) Write(b []byte) (int, error) {
	if w.status != 0 {
		w.text = append(w.text, b[:min(len(b), maxErrorText-len(w.text))]...)
		return len(b), nil
	}
	at := max(bytes.IndexByte(b, '{'), 0) // a stream's event has lines around the message
	e, found := readError(b[at:])
	if !found {
		if !w.isForwarded && w.Header().Get("Content-Type") == "application/json" { // it is written at once
			w.Header().Set("Content-Length", strconv.Itoa(len(b)))
		}
		w.WriteHeader(http.StatusOK)
		var n int
		n, w.writeErr = w.ResponseWriter.Write(b)
		return n, w.writeErr
	}
	w.WriteHeader(http.StatusOK)
	if e.Code == 0 {
		e.Code = jsonrpc.CodeInvalidParams // of params that could not be decoded the SDK has no code
	}
	w.code, e.Message = e.Code, w.request.plainWords(e.Message)
	if len(e.Data) > maxErrorText {
		e.Data = nil // it quotes the params
	}
	end := b[len(bytes.TrimRight(b, "\n")):]
	_, w.writeErr = w.ResponseWriter.Write(slices.Concat(b[:at], encodeRPCError(w.request.id, e), end)) //nolint:gosec // JSON, served as such
	return len(b), w.writeErr
}

// readError returns the error in a JSON-RPC response, if it has one. A result is not
// read: it can be large.
func readError(response []byte) (jsonrpc.Error, bool) {
	decoder := json.NewDecoder(bytes.NewReader(response))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return jsonrpc.Error{}, false
	}
	for decoder.More() {
		switch name, _ := decoder.Token(); name {
		case "error":
			var e jsonrpc.Error
			err := decoder.Decode(&e)
			return e, err == nil
		case "result", nil:
			return jsonrpc.Error{}, false
		}
		_, _ = decoder.Token() // the version, or the id
	}
	return jsonrpc.Error{}, false
}

// Unwrap lets http.ResponseController reach the connection.
func (w *errorRewriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isUnknownMethod reports whether the SDK does not know the message's method. In the
// newest revision it writes that error itself.
func (w *errorRewriter) isUnknownMethod() bool {
	return w.status == http.StatusBadRequest && strings.HasPrefix(string(w.text), "JSON RPC not handled")
}

// err is the withheld error as one of the contract, or nil.
func (w *errorRewriter) err() error {
	text := w.request.plainWords(strings.TrimSpace(string(w.text)))
	if text == "" {
		text = "the message was refused"
	}
	switch w.status {
	case 0:
		return nil
	case http.StatusMethodNotAllowed:
		return apierror.MethodNotAllowed
	case http.StatusNotAcceptable:
		return apierror.NotAcceptable(text)
	case http.StatusRequestEntityTooLarge:
		return apierror.PayloadTooLarge(text)
	case http.StatusUnsupportedMediaType:
		return apierror.UnsupportedMediaType(text)
	}
	if w.status >= 500 {
		return apierror.Internal(errors.New("the protocol's library failed"))
	}
	return apierror.MalformedMessage(text)
}

// prefixes are what the SDK puts before the cause of an error.
var prefixes = regexp.MustCompile(`^(handling '[^']*': |malformed payload: |invalid params: )*`)

// plainWords is the text of the SDK's error for the caller: where decoding failed, the
// SDK quotes the message and names Go types.
func (c *request) plainWords(text string) string {
	text = prefixes.ReplaceAllString(text, "")
	switch {
	case strings.HasPrefix(text, "unmarshaling jsonrpc message"):
		message, _ := json.Marshal(c.members) // they were decoded from JSON
		text = wrongType("message", message, new(envelopeTypes))
	case strings.HasPrefix(text, "unmarshaling "):
		text = wrongType("params", c.members["params"], paramsOf(c.members["method"]))
	}
	return strings.ToValidUTF8(text[:min(len(text), maxErrorText)], "")
}

// envelopeTypes are the types of a message's own members.
type envelopeTypes struct {
	Version string         `json:"jsonrpc"`
	Error   *jsonrpc.Error `json:"error"`
}

// paramsOf returns a place to decode a method's params into, nil for methods that this
// server has nothing for.
func paramsOf(method json.RawMessage) any {
	switch string(method) {
	case `"initialize"`:
		return new(sdk.InitializeParams)
	case `"tools/call"`:
		return new(sdk.CallToolParamsRaw)
	case `"tools/list"`, `"prompts/list"`, `"resources/list"`, `"resources/templates/list"`:
		return new(sdk.ListToolsParams)
	case `"subscriptions/listen"`:
		return new(sdk.SubscriptionsListenParams)
	}
	return nil
}

// wrongType says which field of a value has a type that cannot be decoded.
func wrongType(name string, value json.RawMessage, into any) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](json.Unmarshal(value, into))
	if !ok {
		return "a field of " + name + " has a wrong type or value"
	}
	return strings.TrimSuffix(name+"."+wrong.Field, ".") + " must be " + wantedType(wrong.Type)
}

func wantedType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Map, reflect.Struct, reflect.Pointer:
		return "an object"
	}
	return "a whole number"
}
