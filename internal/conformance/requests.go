package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/clientintel/clientintel/internal/verify"
)

const (
	// prefix is what every route begins with.
	prefix = verify.Prefix
	// maxBody is the largest response that is read.
	maxBody = 64 << 20
)

// response is a whole response, with its request.
type response struct {
	key       *apiKey // nil: sent without a key
	method    string
	path      string // below the base, with the query
	requestID string
	status    int
	header    http.Header
	body      []byte
	envelope  verify.Envelope
	at        time.Time
}

// get sends a GET for a path below the prefix, without a key when key is nil.
func (r *run) get(ctx context.Context, key *apiKey, path string) (*response, error) {
	return r.send(ctx, key, http.MethodGet, prefix+path, nil, nil)
}

// getOK reads a response that must be a 200.
func (r *run) getOK(ctx context.Context, key *apiKey, path string) (*response, error) {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return nil, err
	}
	return res, res.want(http.StatusOK)
}

// getPage reads a page of a list.
func (r *run) getPage(ctx context.Context, key *apiKey, path string) (*page, error) {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return nil, err
	}
	return res.page()
}

// wantError sends a GET that must be refused with this error.
func (r *run) wantError(ctx context.Context, key *apiKey, path string, status int, code string) error {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return err
	}
	return res.wantError(status, code, "")
}

// send sends a request. It waits for one Retry-After in a run.
func (r *run) send(
	ctx context.Context, key *apiKey, method, path string, header http.Header, body []byte,
) (*response, error) {
	res, err := r.once(ctx, key, method, path, header, body)
	if err != nil || (res.status != http.StatusTooManyRequests && res.status != http.StatusServiceUnavailable) {
		return res, err
	}
	seconds, err := strconv.Atoi(res.header.Get("Retry-After"))
	wait := time.Duration(seconds) * time.Second
	switch {
	case err != nil || seconds < 1:
		return nil, fmt.Errorf("%s answers %d without a Retry-After that says when to come back", res, res.status)
	case r.hasWaited || wait > r.o.MaxWait:
		if res.status == http.StatusTooManyRequests {
			return nil, skipf("the key's quota is used up: %s asks to wait %s", res, wait)
		}
		return nil, fmt.Errorf("%s answers %d %s", res, res.status, res.code())
	}
	r.hasWaited = true
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.send(ctx, key, method, path, header, body)
}

func (r *run) once(
	ctx context.Context, key *apiKey, method, path string, header http.Header, body []byte,
) (*response, error) {
	if r.report.Requests >= r.o.MaxRequests {
		return nil, skipf("the %d requests of this run are used up", r.o.MaxRequests)
	}
	r.report.Requests++
	req, err := http.NewRequestWithContext(ctx, method, r.report.BaseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request for %s: %w", path, err)
	}
	maps.Copy(req.Header, header)
	if key != nil {
		req.Header.Set("Authorization", "Bearer "+key.token)
	}
	res := &response{key: key, method: method, path: path, requestID: fmt.Sprintf("conformance-%d", r.report.Requests)}
	req.Header.Set("X-Request-Id", res.requestID)
	received, err := r.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s gets no answer: %w", res, err)
	}
	defer received.Body.Close()
	res.status, res.header, res.at = received.StatusCode, received.Header, time.Now()
	res.body, err = io.ReadAll(io.LimitReader(received.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%s breaks off: %w", res, err)
	}
	if len(res.body) > maxBody {
		return nil, skipf("%s answers more than %d MiB", res, maxBody>>20)
	}
	res.envelope = envelopeOf(res.body)
	r.checkResponse(res)
	return res, nil
}

func (res *response) String() string { return res.method + " " + res.path }

// code is an error response's code.
func (res *response) code() string {
	if res.envelope.Code == nil {
		return ""
	}
	return *res.envelope.Code
}

// want fails unless the response has the status.
func (res *response) want(status int) error {
	if res.status != status {
		return fmt.Errorf("%s answers %d %s, not %d", res, res.status, res.code(), status)
	}
	return nil
}

// wantError fails unless the response is this error. An empty message accepts any.
func (res *response) wantError(status int, code, message string) error {
	if err := res.want(status); err != nil {
		return err
	}
	e := res.envelope
	switch {
	case e.Error == nil:
		return fmt.Errorf("%s answers %d without the envelope's error", res, status)
	case res.code() != code:
		return fmt.Errorf("%s answers code %q, not %q", res, res.code(), code)
	case message != "" && *e.Error != message:
		return fmt.Errorf("%s answers error %q, not %q", res, *e.Error, message)
	case status == http.StatusBadRequest && e.Details == "":
		return fmt.Errorf("%s answers 400 without details", res)
	}
	return nil
}

// decode decodes a 200 as verify does.
func (res *response) decode() (*verify.Response, error) {
	if err := res.want(http.StatusOK); err != nil {
		return nil, err
	}
	decoded, err := res.envelope.Decode(res.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", res, err)
	}
	return decoded, nil
}

// envelopeOf is the envelope that a body is, or that is the data of a JSON-RPC error.
// Not every body has one.
func envelopeOf(body []byte) (e verify.Envelope) {
	var rpc struct {
		Error struct{ Data verify.Envelope }
	}
	_ = json.Unmarshal(body, &e)
	if e.Data == nil && e.Code == nil && json.Unmarshal(body, &rpc) == nil && rpc.Error.Data.Code != nil {
		return rpc.Error.Data
	}
	return e
}
