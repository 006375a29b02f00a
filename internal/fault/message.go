package fault

// ForeignOrigin refuses a web page of another origin.
func ForeignOrigin(details string) *Error {
	return &Error{Kind: Forbidden, Code: "forbidden_origin", Message: "origin not allowed", Details: details}
}

// WrongContentType refuses a body that is not sent as what it must be.
func WrongContentType(details string) *Error {
	return &Error{Kind: UnsupportedMediaType, Code: "unsupported_media_type", Message: "unsupported media type", Details: details}
}

// UnacceptableAnswer refuses a caller who takes no form the answer has.
func UnacceptableAnswer(details string) *Error {
	return &Error{Kind: NotAcceptable, Code: "not_acceptable", Message: "not acceptable", Details: details}
}

// TooLarge refuses a body that is too large, or an answer that would be.
func TooLarge(details string) *Error {
	return &Error{Kind: PayloadTooLarge, Code: "payload_too_large", Message: "payload too large", Details: details}
}

// MalformedMessage refuses a body that is no message of the protocol.
func MalformedMessage(details string) *Error {
	return &Error{Kind: Invalid, Code: "invalid_parameter", Message: "Invalid message", Details: details}
}
