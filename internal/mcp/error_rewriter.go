package mcp

import (
	"errors"
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/apierror"
)

// maxErrorText is how many bytes of the library's text an error quotes.
const maxErrorText = 300

// errorRewriter withholds the library's plain-text errors, so that the caller
// gets the contract's envelope, and keeps responses out of every cache.
type errorRewriter struct {
	http.ResponseWriter
	started bool
	status  int // of a withheld error
	text    []byte
}

// WriteHeader forwards the status, unless it begins a plain-text error.
func (w *errorRewriter) WriteHeader(status int) {
	if w.started || w.status != 0 {
		return
	}
	if status >= 400 && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.started = true
	// The library asks caches to revalidate; they must store nothing.
	w.Header().Set("Cache-Control", "private, no-store")
	w.ResponseWriter.WriteHeader(status)
}

func (w *errorRewriter) Write(b []byte) (int, error) {
	if w.status != 0 {
		w.text = append(w.text, b[:min(len(b), maxErrorText-len(w.text))]...)
		return len(b), nil
	}
	w.WriteHeader(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *errorRewriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// isUnknownMethod tells whether the library does not know the message's method. In
// the newest revision it answers that itself.
func (w *errorRewriter) isUnknownMethod() bool {
	return w.status == http.StatusBadRequest && strings.HasPrefix(string(w.text), "JSON RPC not handled")
}

// err is the withheld error as one of the contract, or nil.
func (w *errorRewriter) err() error {
	text := strings.ToValidUTF8(strings.TrimSpace(string(w.text)), "")
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
