package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/render"
)

const (
	// maxMessage is the largest body, in bytes.
	maxMessage = 1 << 20
	// maxDepth is how deep a message may nest. Real ones stay far below.
	maxDepth = 64
	// maxNames is how many names its objects may have, all together.
	maxNames = 10_000
)

// readMessage returns the body of a well-formed request. The SDK would
// ignore what follows the first value, and all but the last of equal names.
func (c *request) readMessage(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := checkHeaders(r.Header); err != nil {
		return nil, err
	}
	body, err := c.readBody(w, r)
	if err != nil {
		return nil, err
	}
	if err := checkMessage(body); err != nil {
		c.isNotJSON = !utf8.Valid(body) || !json.Valid(body)
		return nil, err
	}
	return body, c.readMembers(body)
}

func (c *request) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	tooLarge := apierror.PayloadTooLarge(fmt.Sprintf("a message has at most %d bytes", maxMessage))
	if r.ContentLength > maxMessage {
		return nil, tooLarge
	}
	limited := http.MaxBytesReader(w, r.Body, maxMessage)
	body, err := io.ReadAll(limited)
	if _, larger := errors.AsType[*http.MaxBytesError](err); larger {
		return nil, tooLarge
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, apierror.MalformedMessage("the body did not come in time").Because(err)
	case err != nil:
		return nil, apierror.MalformedMessage("the body ended before it was complete").Because(err)
	}
	return body, nil
}

func checkHeaders(h http.Header) error {
	if media, _, err := mime.ParseMediaType(h.Get("Content-Type")); err != nil || media != "application/json" {
		return apierror.UnsupportedMediaType("send Content-Type: application/json")
	}
	if coding := h.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return apierror.UnsupportedMediaType("send the body as it is, without a Content-Encoding")
	}
	asJSON, asStream := accepts(h.Values("Accept"))
	if !asJSON || !asStream {
		return apierror.NotAcceptable("send Accept: application/json, text/event-stream")
	}
	return nil
}

// accepts reports which of the two media types, both required by the protocol,
// the caller accepts.
func accepts(values []string) (asJSON, asStream bool) {
	for media := range strings.SplitSeq(strings.Join(values, ","), ",") {
		media, _, _ = strings.Cut(media, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "application/json", "application/*":
			asJSON = true
		case "text/event-stream", "text/*":
			asStream = true
		case "*/*":
			return true, true
		}
	}
	return asJSON, asStream
}

// level is an object or list that is not yet closed.
type level struct {
	isObject  bool
	wantsName bool
	name      string          // the one whose value comes next
	seen      map[string]bool // nil: names may come twice
}

// checkMessage accepts one JSON object of bounded depth without duplicate names,
// which two parsers could read differently. A tool's arguments are checked with
// the parameters.
func checkMessage(body []byte) error {
	switch first := bytes.TrimLeft(body, " \t\r\n"); {
	case len(first) == 0:
		return apierror.MalformedMessage("the body is empty; send one JSON-RPC message")
	case !utf8.Valid(body) || !json.Valid(body):
		return apierror.MalformedMessage("the body is not valid JSON in UTF-8")
	case first[0] == '[':
		return apierror.MalformedMessage("batches are not taken; send one JSON-RPC message a request")
	case first[0] != '{':
		return apierror.MalformedMessage("the body is not a JSON object; send one JSON-RPC message")
	}
	var levels []level
	names := 0
	for i := 0; i < len(body); i++ {
		top := len(levels) - 1
		switch c := body[i]; c {
		case '{', '[':
			if len(levels) == maxDepth {
				return apierror.MalformedMessage(fmt.Sprintf("the message nests deeper than %d levels", maxDepth))
			}
			next := level{isObject: c == '{', wantsName: c == '{'}
			if next.isObject && !isArguments(levels) {
				next.seen = map[string]bool{}
			}
			levels = append(levels, next)
		case '}', ']':
			levels = levels[:top]
		case ',':
			levels[top].wantsName = levels[top].isObject
		case '"':
			began := i
			if i = render.EndOfString(body, i); !levels[top].wantsName {
				continue
			}
			name := string(body[began+1 : i])
			if strings.Contains(name, `\`) {
				_ = json.Unmarshal(body[began:i+1], &name) // it is valid
			}
			if levels[top].seen[name] {
				return apierror.MalformedMessage("an object of the message has the same name twice")
			}
			if names++; names > maxNames {
				return apierror.MalformedMessage(fmt.Sprintf("the message has more than %d names", maxNames))
			}
			if levels[top].seen != nil {
				levels[top].seen[name] = true
			}
			levels[top].name, levels[top].wantsName = name, false
		}
	}
	return nil
}

// isArguments reports whether the object now opened is params.arguments.
func isArguments(above []level) bool {
	return len(above) == 2 && above[0].name == "params" && above[1].isObject && above[1].name == "arguments"
}

// replaceBody returns the request with the message, which was read, as its body.
func replaceBody(r *http.Request, message []byte) *http.Request {
	r = r.WithContext(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(message))
	r.ContentLength = int64(len(message))
	return r
}
