package fault

import "time"

// Kind says what went wrong; the HTTP layer alone turns it into a status.
type Kind int

// The kinds of fault.
const (
	Internal Kind = iota
	Invalid
	Unauthenticated
	Forbidden
	NotFound
	MethodNotAllowed
	NotAcceptable
	PayloadTooLarge
	UnsupportedMediaType
	RateLimited
	MeasurementUnavailable
	Unavailable
)

// Error is a fault with its public words and a private cause. Only the public
// part is written to the caller; the cause goes to the log.
type Error struct {
	Kind    Kind
	Code    string // the contract's code
	Message string // the contract's error
	Details string // optional: which parameter, what is wrong with it, what is accepted
	Scope   string // on a missing scope, its name

	// RetryAfter is how long the caller should wait; zero says nothing.
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

// Because returns the fault with a private cause, for the log.
func (e *Error) Because(cause error) *Error {
	with := *e
	with.cause = cause
	return &with
}

// InvalidParameter refuses a parameter's value.
func InvalidParameter(details string) *Error {
	return &Error{Kind: Invalid, Code: "invalid_parameter", Message: "Invalid query parameter", Details: details}
}

// UnknownParameter refuses a parameter that the operation does not have.
func UnknownParameter(details string) *Error {
	return &Error{Kind: Invalid, Code: "unknown_parameter", Message: "Unknown query parameter", Details: details}
}

// UnsupportedParameter refuses a parameter that does not go with the others.
func UnsupportedParameter(details string) *Error {
	return &Error{Kind: Invalid, Code: "unsupported_parameter", Message: "Unsupported query parameter", Details: details}
}

// InvalidDateRange refuses a window that ends before it starts.
func InvalidDateRange(details string) *Error {
	return &Error{Kind: Invalid, Code: "invalid_date_range", Message: "Invalid date range", Details: details}
}

// InvalidCursor refuses a starting_after; which check failed is not told.
func InvalidCursor() *Error {
	return &Error{
		Kind: Invalid, Code: "invalid_cursor", Message: "Invalid cursor",
		Details: "starting_after was not issued for this list: pass meta.next_cursor unchanged, on the same route with the same filters, or start again without it",
	}
}

// InvalidUpdatedSince refuses an updated_since.
func InvalidUpdatedSince(details string) *Error {
	return &Error{Kind: Invalid, Code: "invalid_updated_since", Message: "Invalid updated_since", Details: details}
}

// UpdatedSinceUnsupported refuses updated_since on interviews.
func UpdatedSinceUnsupported() *Error {
	return &Error{
		Kind: Invalid, Code: "updated_since_unsupported", Message: "updated_since is not supported",
		Details: "updated_since is not supported on interviews, which carry no update time: use date_from and date_to, which filter created_at",
	}
}

// MissingAPIKey says that no bearer token came.
func MissingAPIKey() *Error {
	return &Error{Kind: Unauthenticated, Code: "missing_api_key", Message: "Missing Bearer API key"}
}

// InvalidAPIKey says that the token is no issued key.
func InvalidAPIKey() *Error {
	return &Error{Kind: Unauthenticated, Code: "invalid_api_key", Message: "Invalid API key"}
}

// InactiveAPIKey says that the key was revoked.
func InactiveAPIKey() *Error {
	return &Error{Kind: Unauthenticated, Code: "inactive_api_key", Message: "API key is not active"}
}

// ExpiredAPIKey says that the key is past its expiry.
func ExpiredAPIKey() *Error {
	return &Error{Kind: Unauthenticated, Code: "expired_api_key", Message: "API key has expired"}
}

// MissingScope says that the key lacks a scope.
func MissingScope(scope string) *Error {
	return &Error{
		Kind: Forbidden, Code: "insufficient_scope", Message: "Missing required scope: " + scope, Scope: scope,
	}
}

// Missing says that a thing does not exist, or is not the caller's to see.
func Missing() *Error {
	return &Error{Kind: NotFound, Code: "not_found", Message: "not found"}
}

// WrongMethod says that the route exists and the method does not.
func WrongMethod() *Error {
	return &Error{Kind: MethodNotAllowed, Code: "method_not_allowed", Message: "method not allowed"}
}

// Limited says that the key's window is full.
func Limited(retryAfter time.Duration) *Error {
	return &Error{Kind: RateLimited, Code: "rate_limited", Message: "rate_limited", RetryAfter: retryAfter}
}

// Unproven says that canonical measurement could not be proven.
func Unproven(cause error) *Error {
	return &Error{
		Kind: MeasurementUnavailable, Code: "measurement_unavailable", Message: "measurement_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// OutOfReach says that the database is out of reach or too slow.
func OutOfReach(cause error) *Error {
	return &Error{
		Kind: Unavailable, Code: "service_unavailable", Message: "service_unavailable",
		RetryAfter: unavailableRetry, cause: cause,
	}
}

// Unexpected is a fault of ours; nothing of it is told.
func Unexpected(cause error) *Error {
	return &Error{Kind: Internal, Code: "internal_error", Message: "internal error", cause: cause}
}

// unavailableRetry outlasts a restart of the database without making callers wait long.
const unavailableRetry = 5 * time.Second
