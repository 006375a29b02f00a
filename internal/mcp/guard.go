package mcp

import (
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/fault"
)

// maxRefusal is how much of the library's own words a refusal tells.
const maxRefusal = 300

// answerGuard keeps the library's refusals in plain text back, and answers out
// of every cache.
type answerGuard struct {
	http.ResponseWriter
	started bool
	status  int // of a refusal that is kept back
	words   []byte
}

// WriteHeader passes the status on, unless it begins a refusal in plain text.
func (g *answerGuard) WriteHeader(status int) {
	if g.started || g.status != 0 {
		return
	}
	if status >= 400 && strings.HasPrefix(g.Header().Get("Content-Type"), "text/plain") {
		g.status = status
		return
	}
	g.started = true
	// The library asks caches to revalidate; they must not keep anything.
	g.Header().Set("Cache-Control", "private, no-store")
	g.ResponseWriter.WriteHeader(status)
}

func (g *answerGuard) Write(b []byte) (int, error) {
	if g.status != 0 {
		g.words = append(g.words, b[:min(len(b), maxRefusal-len(g.words))]...)
		return len(b), nil
	}
	g.WriteHeader(http.StatusOK)
	return g.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (g *answerGuard) Unwrap() http.ResponseWriter { return g.ResponseWriter }

// refusal is what was kept back, as a fault of ours.
func (g *answerGuard) refusal() error {
	words := strings.ToValidUTF8(strings.TrimSpace(string(g.words)), "")
	if !utf8.ValidString(words) || words == "" {
		words = "the message was refused"
	}
	switch g.status {
	case 0:
		return nil
	case http.StatusMethodNotAllowed:
		return fault.WrongMethod()
	case http.StatusNotAcceptable:
		return fault.UnacceptableAnswer(words)
	case http.StatusRequestEntityTooLarge:
		return fault.TooLarge(words)
	case http.StatusUnsupportedMediaType:
		return fault.WrongContentType(words)
	}
	if g.status >= 500 {
		return fault.Unexpected(errors.New("the protocol's library failed"))
	}
	return fault.MalformedMessage(words)
}
