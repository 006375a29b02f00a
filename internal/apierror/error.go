package apierror

import (
	"errors"
	"time"
)

// Kind is a class of errors. Only the HTTP layer maps it to a status.
type Kind int

// The kinds of error.
const (
	KindInternal Kind = iota
	KindInvalid
	KindUnauthenticated
	KindForbidden
	KindNotFound
	KindConflict
	KindMethodNotAllowed
	KindNotAcceptable
	KindPayloadTooLarge
	KindUnsupportedMediaType
	KindRateLimited
	KindMeasurementUnavailable
	KindUnavailable
)

// Error is an error with public words and a private cause. Callers see only the
// public part; the cause is logged.
type Error struct {
	Kind    Kind
	Code    string // the contract's code
	Message string // the contract's error
	Details string // optional: which parameter, what is wrong with it, what is accepted
	Scope   string // on a missing scope, its name

	// RetryAfter is how long the caller should wait; zero sets no header.
	RetryAfter time.Duration

	cause error
}

// Error is for logs.
func (e *Error) Error() string {
	text := e.Code
	if e.Details != "" {
		text += ": " + e.Details
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap gives the private cause.
func (e *Error) Unwrap() error { return e.cause }

// WithDetails is the same error with details for the caller.
func (e *Error) WithDetails(details string) *Error {
	with := *e
	with.Details = details
	return &with
}

// Because returns the error with a private cause, for the log.
func (e *Error) Because(cause error) *Error {
	with := *e
	with.cause = cause
	return &with
}

// fixed is an error that always has the same words.
func fixed(kind Kind, code, message, details string) *Error {
	return &Error{Kind: kind, Code: code, Message: message, Details: details}
}

// The errors that always have the same words. They are not changed: Because copies.
var (
	// InvalidCursor refuses a starting_after. It does not say which check failed.
	InvalidCursor = fixed(KindInvalid, "invalid_cursor", "Invalid cursor",
		"starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it")
	// UpdatedSinceUnsupported refuses updated_since on interviews.
	UpdatedSinceUnsupported = fixed(KindInvalid, "updated_since_unsupported", "updated_since is not supported",
		"updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at")
	// MissingAPIKey refuses a request without a bearer token.
	MissingAPIKey = fixed(KindUnauthenticated, "missing_api_key", "Missing Bearer API key", "")
	// InvalidAPIKey refuses a token that is no issued key.
	InvalidAPIKey = fixed(KindUnauthenticated, "invalid_api_key", "Invalid API key", "")
	// InactiveAPIKey refuses a revoked key.
	InactiveAPIKey = fixed(KindUnauthenticated, "inactive_api_key", "API key is not active", "")
	// ExpiredAPIKey refuses a key past its expiry.
	ExpiredAPIKey = fixed(KindUnauthenticated, "expired_api_key", "API key has expired", "")
	// MissingToken refuses a request to the console without a token.
	MissingToken = fixed(KindUnauthenticated, "missing_token", "Missing Bearer token", "")
	// ExpiredToken refuses a token of the console past its expiry.
	ExpiredToken = fixed(KindUnauthenticated, "expired_token", "Token has expired", "")
	// NotFound is the same for what does not exist and for what the caller may not see.
	NotFound = fixed(KindNotFound, "not_found", "not found", "")
	// MethodNotAllowed refuses a method that the route does not have.
	MethodNotAllowed = fixed(KindMethodNotAllowed, "method_not_allowed", "method not allowed", "")
)

// detailed makes errors that differ in their details.
func detailed(kind Kind, code, message string) func(details string) *Error {
	return func(details string) *Error { return fixed(kind, code, message, details) }
}

// The errors whose details say which parameter or header is refused, and why.
var (
	// InvalidParameter refuses a parameter's value.
	InvalidParameter = detailed(KindInvalid, "invalid_parameter", "Invalid query parameter")
	// InvalidBody refuses a request's body.
	InvalidBody = detailed(KindInvalid, "invalid_body", "Invalid request body")
	// InvalidToken refuses a token of the console. Only a signed one is told what is wrong.
	InvalidToken = detailed(KindUnauthenticated, "invalid_token", "Invalid token")
	// AlreadyDone refuses a change that was made before; its details are the key's id.
	AlreadyDone = detailed(KindConflict, "already_done", "already done")
	// Conflict refuses a change that the present state does not allow.
	Conflict = detailed(KindConflict, "conflict", "conflict")
	// InvalidHeader refuses a request for one of its headers.
	InvalidHeader = detailed(KindInvalid, "invalid_parameter", "Invalid header")
	// UnknownParameter refuses a parameter that the operation does not have.
	UnknownParameter = detailed(KindInvalid, "unknown_parameter", "Unknown query parameter")
	// UnsupportedParameter refuses a parameter that does not go with the others.
	UnsupportedParameter = detailed(KindInvalid, "unsupported_parameter", "Unsupported query parameter")
	// InvalidDateRange refuses a window that ends before it starts.
	InvalidDateRange = detailed(KindInvalid, "invalid_date_range", "Invalid date range")
	// InvalidUpdatedSince refuses an updated_since.
	InvalidUpdatedSince = detailed(KindInvalid, "invalid_updated_since", "Invalid updated_since")
	// ForeignOrigin refuses a web page of another origin.
	ForeignOrigin = detailed(KindForbidden, "forbidden_origin", "origin not allowed")
	// UnsupportedMediaType refuses a body of another content type.
	UnsupportedMediaType = detailed(KindUnsupportedMediaType, "unsupported_media_type", "unsupported media type")
	// NotAcceptable refuses a caller that accepts no media type of the response.
	NotAcceptable = detailed(KindNotAcceptable, "not_acceptable", "not acceptable")
	// PayloadTooLarge refuses a body that is too large, or a response that would be.
	PayloadTooLarge = detailed(KindPayloadTooLarge, "payload_too_large", "payload too large")
	// MalformedMessage refuses a body that is no message of the protocol.
	MalformedMessage = detailed(KindInvalid, "invalid_parameter", "Invalid message")
)

// MissingScope refuses a key without a required scope.
func MissingScope(scope string) *Error {
	return &Error{
		Kind: KindForbidden, Code: "insufficient_scope", Message: "Missing required scope: " + scope, Scope: scope,
	}
}

// RateLimited refuses a request beyond the key's rate limit.
func RateLimited(retryAfter time.Duration) *Error {
	return &Error{Kind: KindRateLimited, Code: "rate_limited", Message: "rate_limited", RetryAfter: retryAfter}
}

// MeasurementUnavailable is returned when canonical measurement cannot be proven.
func MeasurementUnavailable(cause error) *Error {
	return &Error{
		Kind: KindMeasurementUnavailable, Code: "measurement_unavailable", Message: "measurement_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// Unavailable is returned when the database is unavailable or too slow.
func Unavailable(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "service_unavailable", Message: "service_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// Internal is an error of this service. The response does not show its cause.
func Internal(cause error) *Error {
	return &Error{Kind: KindInternal, Code: "internal_error", Message: "internal error", cause: cause}
}

// Public is what callers may see of any error: what is not meant for them is Internal.
func Public(err error) *Error {
	if public, ok := errors.AsType[*Error](err); ok {
		return public
	}
	return Internal(err)
}

// unavailableRetry outlasts a restart of the database without making callers wait long.
const unavailableRetry = 5 * time.Second
