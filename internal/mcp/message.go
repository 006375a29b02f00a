package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/apierror"
)

// maxMessage is the largest body, in bytes.
const maxMessage = 1 << 20

// readMessage returns the body of a request with the right headers. Its errors are in the
// contract's order.
func readMessage(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, apierror.MethodNotAllowed
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return nil, apierror.UnsupportedMediaType("send Content-Type: application/json")
	}
	if !slices.ContainsFunc(strings.Split(strings.Join(r.Header.Values("Accept"), ","), ","), isJSON) {
		return nil, apierror.NotAcceptable("send Accept: application/json")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if _, larger := errors.AsType[*http.MaxBytesError](err); larger {
		return nil, apierror.PayloadTooLarge(fmt.Sprintf("a message has at most %d bytes", maxMessage))
	}
	if err != nil {
		return nil, apierror.MalformedMessage("the body did not come whole and in time").Because(err)
	}
	return body, nil
}

// isJSON reports whether a media range, with or without parameters, includes JSON.
func isJSON(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return slices.Contains([]string{"application/json", "application/*", "*/*"}, strings.ToLower(strings.TrimSpace(media)))
}

// parseMessage accepts one JSON object whose id can be sent back, and returns the id of
// any, which a notification has not. The SDK takes batches, of which each call would have
// to count, and reads ids as floats.
func parseMessage(body []byte) (id json.RawMessage, isNotification bool, refused *jsonrpc.Error) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return nil, false, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the body is not valid JSON in UTF-8"}
	}
	var members map[string]json.RawMessage // a struct would match names in any case
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, false, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the body is not one JSON-RPC message, which is an object"}
	}
	id, method := members["id"], members["method"]
	if _, err := strconv.ParseInt(string(id), 10, 64); id != nil && id[0] != '"' && err != nil {
		return nil, false, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id is neither a string nor an integer of 64 bits"}
	}
	var params map[string]json.RawMessage
	_ = json.Unmarshal(members["params"], &params) // the SDK says what is wrong with them
	if cursor := string(params["cursor"]); !slices.Contains([]string{"", "null", `""`}, cursor) {
		// The SDK would decode it with gob, which is unsafe for untrusted input.
		return id, false, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "each list is one page; leave cursor out"}
	}
	return id, id == nil && method != nil && method[0] == '"', nil
}
