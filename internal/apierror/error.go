package apierror

import "time"

// Kind is a class of errors. Only the HTTP layer maps it to a status.
type Kind int

// The kinds of error.
const (
	KindInternal Kind = iota
	KindInvalid
	KindUnauthenticated
	KindForbidden
	KindNotFound
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

// Because returns the error with a private cause, for the log.
func (e *Error) Because(cause error) *Error {
	with := *e
	with.cause = cause
	return &with
}

// InvalidParameter refuses a parameter's value.
func InvalidParameter(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid_parameter", Message: "Invalid query parameter", Details: details}
}

// UnknownParameter refuses a parameter that the operation does not have.
func UnknownParameter(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "unknown_parameter", Message: "Unknown query parameter", Details: details}
}

// UnsupportedParameter refuses a parameter that does not go with the others.
func UnsupportedParameter(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "unsupported_parameter", Message: "Unsupported query parameter", Details: details}
}

// InvalidDateRange refuses a window that ends before it starts.
func InvalidDateRange(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid_date_range", Message: "Invalid date range", Details: details}
}

// InvalidCursor refuses a starting_after. It does not say which check failed.
func InvalidCursor() *Error {
	return &Error{
		Kind: KindInvalid, Code: "invalid_cursor", Message: "Invalid cursor",
		Details: "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it",
	}
}

// InvalidUpdatedSince refuses an updated_since.
func InvalidUpdatedSince(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid_updated_since", Message: "Invalid updated_since", Details: details}
}

// UpdatedSinceUnsupported refuses updated_since on interviews.
func UpdatedSinceUnsupported() *Error {
	return &Error{
		Kind: KindInvalid, Code: "updated_since_unsupported", Message: "updated_since is not supported",
		Details: "updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at",
	}
}

// MissingAPIKey refuses a request without a bearer token.
func MissingAPIKey() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "missing_api_key", Message: "Missing Bearer API key"}
}

// InvalidAPIKey refuses a token that is no issued key.
func InvalidAPIKey() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "invalid_api_key", Message: "Invalid API key"}
}

// InactiveAPIKey refuses a revoked key.
func InactiveAPIKey() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "inactive_api_key", Message: "API key is not active"}
}

// ExpiredAPIKey refuses a key past its expiry.
func ExpiredAPIKey() *Error {
	return &Error{Kind: KindUnauthenticated, Code: "expired_api_key", Message: "API key has expired"}
}

// MissingScope refuses a key without a required scope.
func MissingScope(scope string) *Error {
	return &Error{
		Kind: KindForbidden, Code: "insufficient_scope", Message: "Missing required scope: " + scope, Scope: scope,
	}
}

// NotFound is the same for what does not exist and for what the caller may not see.
func NotFound() *Error {
	return &Error{Kind: KindNotFound, Code: "not_found", Message: "not found"}
}

// MethodNotAllowed refuses a method that the route does not have.
func MethodNotAllowed() *Error {
	return &Error{Kind: KindMethodNotAllowed, Code: "method_not_allowed", Message: "method not allowed"}
}

// ForeignOrigin refuses a web page of another origin.
func ForeignOrigin(details string) *Error {
	return &Error{Kind: KindForbidden, Code: "forbidden_origin", Message: "origin not allowed", Details: details}
}

// UnsupportedMediaType refuses a body of another content type.
func UnsupportedMediaType(details string) *Error {
	return &Error{Kind: KindUnsupportedMediaType, Code: "unsupported_media_type", Message: "unsupported media type", Details: details}
}

// NotAcceptable refuses a caller that accepts no media type of the answer.
func NotAcceptable(details string) *Error {
	return &Error{Kind: KindNotAcceptable, Code: "not_acceptable", Message: "not acceptable", Details: details}
}

// PayloadTooLarge refuses a body that is too large, or an answer that would be.
func PayloadTooLarge(details string) *Error {
	return &Error{Kind: KindPayloadTooLarge, Code: "payload_too_large", Message: "payload too large", Details: details}
}

// MalformedMessage refuses a body that is no message of the protocol.
func MalformedMessage(details string) *Error {
	return &Error{Kind: KindInvalid, Code: "invalid_parameter", Message: "Invalid message", Details: details}
}

// RateLimited refuses a request beyond the key's rate limit.
func RateLimited(retryAfter time.Duration) *Error {
	return &Error{Kind: KindRateLimited, Code: "rate_limited", Message: "rate_limited", RetryAfter: retryAfter}
}

// MeasurementUnavailable is answered when canonical measurement cannot be proven.
func MeasurementUnavailable(cause error) *Error {
	return &Error{
		Kind: KindMeasurementUnavailable, Code: "measurement_unavailable", Message: "measurement_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// Unavailable is answered when the database is out of reach or too slow.
func Unavailable(cause error) *Error {
	return &Error{
		Kind: KindUnavailable, Code: "service_unavailable", Message: "service_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// Internal is an error of ours. The answer tells nothing of its cause.
func Internal(cause error) *Error {
	return &Error{Kind: KindInternal, Code: "internal_error", Message: "internal error", cause: cause}
}

// unavailableRetry outlasts a restart of the database without making callers wait long.
const unavailableRetry = 5 * time.Second
