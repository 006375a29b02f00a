package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/fault"
)

// maxChecked is the largest body held against the contract at run time.
const maxChecked = 8 << 20

// sampleEvery bounds the rate of sampled checks, which run beside the answers.
const sampleEvery = 100 * time.Millisecond

// responseChecker holds responses against the contract.
type responseChecker struct {
	mode    config.ResponseValidation
	options *openapi3filter.Options
	log     *slog.Logger
	samples chan sample
	nextAt  atomic.Int64
	// Broken counts responses that broke the contract, for the metrics.
	Broken atomic.Int64
	// Checked counts responses that were held against it.
	Checked atomic.Int64
}

type sample struct {
	input     *openapi3filter.ResponseValidationInput
	operation string
	requestID string
}

func newResponseChecker(mode config.ResponseValidation, options *openapi3filter.Options, log *slog.Logger) *responseChecker {
	c := &responseChecker{mode: mode, options: options, log: log, samples: make(chan sample, 1)}
	if mode == config.Sample {
		go c.checkSamples()
	}
	return c
}

// watch lets next answer and checks what it says, as the mode asks.
func (c *responseChecker) watch(
	w http.ResponseWriter, r *http.Request, route *routers.Route, pathParams map[string]string, next http.Handler,
) {
	input := func(status int, header http.Header, body []byte) *openapi3filter.ResponseValidationInput {
		in := &openapi3filter.ResponseValidationInput{
			RequestValidationInput: &openapi3filter.RequestValidationInput{
				Request: r, PathParams: pathParams, Route: route, Options: c.options,
			},
			Status: status, Header: header.Clone(), Options: c.options,
		}
		return in.SetBodyBytes(body)
	}
	switch {
	case c.mode == config.Enforce:
		held := &heldResponse{to: w, status: http.StatusOK}
		next.ServeHTTP(held, r)
		if held.released {
			return
		}
		if held.body.Len() <= maxChecked {
			if err := c.check(r.Context(), input(held.status, w.Header(), held.body.Bytes())); err != nil {
				c.report(err, exchangeFrom(r.Context()).operation, exchangeFrom(r.Context()).requestID)
				writeError(w, r, fault.Unexpected(errors.New("the response breaks the contract")))
				return
			}
		}
		held.release()
	case c.mode == config.Sample && c.due():
		copied := &copyingWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(copied, r)
		if copied.tooLarge {
			return
		}
		e := exchangeFrom(r.Context())
		select {
		case c.samples <- sample{input(copied.status, w.Header(), copied.body.Bytes()), e.operation, e.requestID}:
		default: // the checker is busy: this one goes unchecked, nobody waits
		}
	default:
		next.ServeHTTP(w, r)
	}
}

// due tells whether it is time for another sample.
func (c *responseChecker) due() bool {
	now := time.Now().UnixNano()
	next := c.nextAt.Load()
	return now >= next && c.nextAt.CompareAndSwap(next, now+int64(sampleEvery))
}

func (c *responseChecker) checkSamples() {
	for s := range c.samples {
		if err := c.check(context.Background(), s.input); err != nil {
			c.report(err, s.operation, s.requestID)
		}
	}
}

// check exempts the statuses that stand in no operation.
func (c *responseChecker) check(ctx context.Context, in *openapi3filter.ResponseValidationInput) error {
	switch in.Status {
	case http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusInternalServerError:
		return nil
	}
	c.Checked.Add(1)
	return openapi3filter.ValidateResponse(ctx, in)
}

// report logs where the contract was broken, never the value that broke it.
func (c *responseChecker) report(err error, operation, requestID string) {
	c.Broken.Add(1)
	c.log.Error("a response breaks the contract",
		"operation", operation, "request_id", requestID, "where", whereBroken(err))
}

func whereBroken(err error) string {
	var s *openapi3.SchemaError
	if errors.As(err, &s) {
		return fmt.Sprintf("/%s: %s", strings.Join(s.JSONPointer(), "/"), s.SchemaField)
	}
	var r *openapi3filter.ResponseError
	if errors.As(err, &r) {
		return r.Reason
	}
	return "unknown"
}

// heldResponse keeps an answer back until it was checked. One too long to be
// checked passes.
type heldResponse struct {
	to       http.ResponseWriter
	status   int
	body     bytes.Buffer
	released bool
}

func (h *heldResponse) Header() http.Header    { return h.to.Header() }
func (h *heldResponse) WriteHeader(status int) { h.status = status }

func (h *heldResponse) Write(b []byte) (int, error) {
	if h.released {
		return h.to.Write(b)
	}
	n, err := h.body.Write(b)
	if h.body.Len() > maxChecked {
		h.release()
	}
	return n, err
}

func (h *heldResponse) release() {
	h.released = true
	h.to.WriteHeader(h.status)
	_, _ = io.Copy(h.to, &h.body)
}

// SetWriteDeadline waits for the release: until then nothing is written, and a
// deadline for one chunk is too short for all of them.
func (h *heldResponse) SetWriteDeadline(deadline time.Time) error {
	if !h.released {
		return nil
	}
	return http.NewResponseController(h.to).SetWriteDeadline(deadline)
}

// copyingWriter keeps a copy of what passes, up to what is checked.
type copyingWriter struct {
	http.ResponseWriter
	status   int
	body     bytes.Buffer
	tooLarge bool
}

func (c *copyingWriter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copyingWriter) Write(b []byte) (int, error) {
	if c.body.Len()+len(b) > maxChecked {
		c.tooLarge = true
		c.body = bytes.Buffer{}
	}
	if !c.tooLarge {
		c.body.Write(b)
	}
	return c.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (c *copyingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
