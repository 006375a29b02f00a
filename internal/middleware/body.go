package middleware

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/clientintel/clientintel/internal/apierror"
)

// maxBody is the largest body of a request.
const maxBody = 64 << 10

// checkHeaders validates the header parameters of an operation.
func checkHeaders(op *Operation, input *openapi3filter.RequestValidationInput) error {
	for _, p := range op.headerParams {
		given := input.Request.Header.Values(p.Name)
		if len(given) > 1 || openapi3filter.ValidateParameter(input.Request.Context(), input, p) != nil {
			return apierror.InvalidHeader(p.Name + " must be given once, with 1 to 200 characters")
		}
	}
	return nil
}

// checkBody validates a request's body. What is read of it stays readable.
func checkBody(op *Operation, input *openapi3filter.RequestValidationInput) error {
	r := input.Request
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); r.ContentLength != 0 && (err != nil || media != "application/json") {
		return apierror.UnsupportedMediaType("send the body as application/json")
	}
	r.Body = http.MaxBytesReader(nil, r.Body, maxBody)
	err := openapi3filter.ValidateRequestBody(r.Context(), input, op.route.Operation.RequestBody.Value)
	if err == nil {
		return nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return apierror.PayloadTooLarge("a body has at most 64 KiB")
	}
	if field, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		name := strings.Join(field.JSONPointer(), ".")
		if name != "" {
			name += ": "
		}
		return apierror.InvalidBody(name + field.Reason)
	}
	return apierror.InvalidBody("the body must be a JSON object, as the contract describes it").Because(err)
}
