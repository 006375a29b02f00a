package middleware

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/openapi"
)

// maxValidated is the largest body that is validated at run time.
const maxValidated = 8 << 20

// ResponseValidator validates responses against the contract.
type ResponseValidator struct {
	mode    config.ResponseValidation
	options *openapi3filter.Options
	log     *slog.Logger
	samples chan sample
	// active is set while a sample is taken or validated; nextAt is when the next may be.
	active atomic.Bool
	nextAt atomic.Int64
	// Broken counts the responses that broke the contract.
	Broken atomic.Int64
	// Checked counts the responses that were validated.
	Checked atomic.Int64
}

// NewResponseValidator validates in a mode.
func NewResponseValidator(mode config.ResponseValidation, log *slog.Logger) *ResponseValidator {
	v := &ResponseValidator{mode: mode, options: validatorOptions(), log: log}
	if mode == config.Sample {
		v.samples = make(chan sample, 1)
		go v.validateSamples()
	}
	return v
}

// Validate validates the responses of operations according to the mode.
func (v *ResponseValidator) Validate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		op := RecordFrom(r.Context()).operation
		switch {
		case v.mode == config.Enforce:
			v.enforce(w, r, op, next)
		case v.mode == config.Sample && v.start():
			v.takeSample(w, r, op, next)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// enforce answers 500 instead of sending a response that breaks the contract.
func (v *ResponseValidator) enforce(w http.ResponseWriter, r *http.Request, op *Operation, next http.Handler) {
	buffered := &bufferingWriter{to: w, status: http.StatusOK}
	next.ServeHTTP(buffered, r)
	if buffered.released {
		return
	}
	err := v.check(r.Context(), v.input(r, op, buffered.status, w.Header(), buffered.body.Bytes()))
	if err != nil {
		v.report(err, op.ID, RecordFrom(r.Context()).RequestID)
		WriteError(w, r, apierror.Internal(errors.New("the response breaks the contract")))
		return
	}
	if err := buffered.release(); err != nil {
		RecordFrom(r.Context()).Err = err
	}
}

func (v *ResponseValidator) input(
	r *http.Request, op *Operation, status int, header http.Header, body []byte,
) *openapi3filter.ResponseValidationInput {
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, Route: op.route, Options: v.options},
		Status:                 status, Header: header.Clone(), Options: v.options,
	}
	return in.SetBodyBytes(body)
}

// check exempts 500, which no operation declares.
func (v *ResponseValidator) check(ctx context.Context, in *openapi3filter.ResponseValidationInput) error {
	if in.Status == http.StatusInternalServerError {
		return nil
	}
	v.Checked.Add(1)
	return openapi3filter.ValidateResponse(ctx, in)
}

// report logs where the contract was broken, never the value that broke it.
func (v *ResponseValidator) report(err error, operation, requestID string) {
	v.Broken.Add(1)
	v.log.Error("a response breaks the contract",
		"operation", operation, "request_id", requestID, "where", openapi.BrokenAt(err))
}

// bufferingWriter keeps a response in memory until release. A response that is too large
// to be validated is released at once.
type bufferingWriter struct {
	to       http.ResponseWriter
	status   int
	body     bytes.Buffer
	released bool
}

func (b *bufferingWriter) Header() http.Header    { return b.to.Header() }
func (b *bufferingWriter) WriteHeader(status int) { b.status = status }

func (b *bufferingWriter) Write(p []byte) (int, error) {
	if b.released {
		return b.to.Write(p)
	}
	n, err := b.body.Write(p)
	if b.body.Len() > maxValidated {
		err = b.release()
	}
	return n, err
}

// release sends what was kept. Its error means that a part of it may have been sent.
func (b *bufferingWriter) release() error {
	b.released = true
	b.to.WriteHeader(b.status)
	_, err := io.Copy(b.to, &b.body)
	return err
}

// SetWriteDeadline does nothing before the release: nothing is written until
// then, and the deadline of one chunk is too short for all of them.
func (b *bufferingWriter) SetWriteDeadline(deadline time.Time) error {
	if !b.released {
		return nil
	}
	return http.NewResponseController(b.to).SetWriteDeadline(deadline)
}
