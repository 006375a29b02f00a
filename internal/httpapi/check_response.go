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

// Sampled checks run beside the answers, one at a time, from the first byte
// copied to the verdict: its caller may read slowly, and a check holds some
// seven times what it checks.
const (
	// sampleEvery bounds their rate.
	sampleEvery = 100 * time.Millisecond
	// restFactor is how many times as long as the last check took none begins:
	// they cost a fiftieth of one core at most.
	restFactor = 49
	// maxSampled is the largest body that is copied.
	maxSampled = 2 << 20
)

// responseChecker holds responses against the contract.
type responseChecker struct {
	mode    config.ResponseValidation
	options *openapi3filter.Options
	log     *slog.Logger
	samples chan sample
	// sampling says that a sample is being taken or checked.
	sampling atomic.Bool
	nextAt   atomic.Int64
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
		if thrown(w) {
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
		copied := &copyingWriter{ResponseWriter: w, status: http.StatusOK, drop: c.rest}
		defer copied.giveUp() // a handler may panic
		next.ServeHTTP(copied, r)
		if copied.done || thrown(w) {
			return
		}
		copied.done = true
		e := exchangeFrom(r.Context())
		c.samples <- sample{input(copied.status, w.Header(), copied.body.Bytes()), e.operation, e.requestID}
	default:
		next.ServeHTTP(w, r)
	}
}

// due tells whether it is time for another sample, and takes the turn.
func (c *responseChecker) due() bool {
	return time.Now().UnixNano() >= c.nextAt.Load() && c.sampling.CompareAndSwap(false, true)
}

// rest ends a turn. The next may come when some time has passed.
func (c *responseChecker) rest(took time.Duration) {
	c.nextAt.Store(time.Now().Add(max(sampleEvery, restFactor*took)).UnixNano())
	c.sampling.Store(false)
}

func (c *responseChecker) checkSamples() {
	for s := range c.samples {
		started := time.Now()
		if err := c.check(context.Background(), s.input); err != nil {
			c.report(err, s.operation, s.requestID)
		}
		c.rest(time.Since(started))
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

// copyingWriter keeps a copy of what passes, up to what is sampled.
type copyingWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	done   bool
	// drop is told when the copy is given up.
	drop func(took time.Duration)
}

func (c *copyingWriter) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copyingWriter) Write(b []byte) (int, error) {
	if c.body.Len()+len(b) > maxSampled {
		c.giveUp()
	}
	if !c.done {
		c.body.Write(b)
	}
	return c.ResponseWriter.Write(b)
}

// giveUp lets go of the copy, if it is not yet with the checker.
func (c *copyingWriter) giveUp() {
	if !c.done {
		c.done = true
		c.body = bytes.Buffer{}
		c.drop(0)
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (c *copyingWriter) Unwrap() http.ResponseWriter { return c.ResponseWriter }
