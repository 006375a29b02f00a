package clientintel

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Errors to tell apart with errors.Is. Use errors.As with *Error for the rest.
var (
	// ErrUnauthenticated: the key is not accepted. Do not try again.
	ErrUnauthenticated = errors.New("the key is not accepted")
	// ErrMissingScope: the key lacks a scope; the error's message names it.
	ErrMissingScope = errors.New("the key lacks a scope")
	// ErrNotFound: there is no such interview that the key may see.
	ErrNotFound = errors.New("not found")
	// ErrInvalidCursor: start the walk again, without a cursor.
	ErrInvalidCursor = errors.New("the cursor is not valid here")
	// ErrInvalidRequest: a parameter is not accepted; Details say which.
	ErrInvalidRequest = errors.New("a parameter is not accepted")
	// ErrRateLimited: the key's hour is used up for longer than may be waited.
	ErrRateLimited = errors.New("the key's hour is used up")
	// ErrUnavailable: no answer, or none that can be proven. Do not make up counts.
	ErrUnavailable = errors.New("the service is not available")
)

// Error is an error response of the service.
type Error struct {
	Status int
	// Code is what happened, for programs; Message and Details are for people.
	Code    string
	Message string
	Details string
	// RequestID names the request in the service's log.
	RequestID string
	// RetryAfter is how long the service asks to wait; zero: it did not say.
	RetryAfter time.Duration
}

// Error is all of it in a line.
func (e *Error) Error() string {
	text := fmt.Sprintf("clientintel: %d %s", e.Status, e.Message)
	if e.Details != "" {
		text += ": " + e.Details
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Is makes errors.Is match the errors above.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrUnauthenticated:
		return e.Status == http.StatusUnauthorized
	case ErrMissingScope:
		return e.Status == http.StatusForbidden && e.Code == "insufficient_scope"
	case ErrNotFound:
		return e.Status == http.StatusNotFound
	case ErrInvalidCursor:
		return e.Code == "invalid_cursor"
	case ErrInvalidRequest:
		return e.Status == http.StatusBadRequest
	case ErrRateLimited:
		return e.Status == http.StatusTooManyRequests
	case ErrUnavailable:
		return e.Status == http.StatusServiceUnavailable
	}
	return false
}

// maxErrorBody bounds what is read of an error response, which a proxy may have written.
const maxErrorBody = 64 << 10

func responseError(res *http.Response) error {
	e := &Error{
		Status: res.StatusCode, Message: http.StatusText(res.StatusCode),
		RequestID: res.Header.Get("X-Request-Id"), RetryAfter: retryAfter(res),
	}
	var envelope struct{ Error, Code, Details string }
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
	if err == nil && json.Unmarshal(body, &envelope) == nil && envelope.Error != "" {
		e.Message, e.Code, e.Details = envelope.Error, envelope.Code, envelope.Details
	}
	return e
}

// retryAfter is the header's whole seconds; zero where there are none.
func retryAfter(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 0 || seconds > 1<<30 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
