package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"

	"github.com/clientintel/clientintel/internal/verify"
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
	// refusal is the body of an error response.
	refusal struct{ Error, Code, Details string }
}

// get sends a GET for a path below the prefix, without a key when key is nil.
func (r *run) get(ctx context.Context, key *apiKey, path string) (*response, error) {
	return r.send(ctx, key, http.MethodGet, path, nil, nil)
}

// getAnswer reads a response that must be a 200 with data and meta.
func (r *run) getAnswer(ctx context.Context, key *apiKey, path string) (*verify.Response, error) {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return nil, err
	}
	return res.decode()
}

// wantError sends a GET that must be refused with this error.
func (r *run) wantError(ctx context.Context, key *apiKey, path string, status int, code string) error {
	res, err := r.get(ctx, key, path)
	if err != nil {
		return err
	}
	return res.wantError(status, code, "")
}

// send sends a request for a path below the prefix. A key whose quota is used up skips the check.
func (r *run) send(
	ctx context.Context, key *apiKey, method, path string, header http.Header, body []byte,
) (*response, error) {
	if r.report.Requests >= r.o.MaxRequests {
		return nil, skipf("the %d requests of this run are used up", r.o.MaxRequests)
	}
	r.report.Requests++
	req, err := http.NewRequestWithContext(ctx, method, r.report.BaseURL+verify.Prefix+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request for %s: %w", path, err)
	}
	maps.Copy(req.Header, header)
	if key != nil {
		req.Header.Set("Authorization", "Bearer "+key.token)
	}
	res := &response{key: key, method: method, path: verify.Prefix + path, requestID: fmt.Sprintf("conformance-%d", r.report.Requests)}
	req.Header.Set("X-Request-Id", res.requestID)
	received, err := r.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s gets no answer: %w", res, err)
	}
	defer received.Body.Close()
	res.status, res.header = received.StatusCode, received.Header
	if res.body, err = io.ReadAll(received.Body); err != nil {
		return nil, fmt.Errorf("%s breaks off: %w", res, err)
	}
	if res.status >= http.StatusBadRequest {
		_ = json.Unmarshal(res.body, &res.refusal) // wantError looks at what was read
	}
	r.checkResponse(ctx, res)
	if res.status == http.StatusTooManyRequests {
		return nil, skipf("the key's quota is used up: %s asks to wait %s seconds", res, res.header.Get("Retry-After"))
	}
	return res, nil
}

func (res *response) String() string { return res.method + " " + res.path }

// want fails unless the response has the status.
func (res *response) want(status int) error {
	if res.status != status {
		return fmt.Errorf("%s answers %d %s, not %d", res, res.status, res.refusal.Code, status)
	}
	return nil
}

// wantError fails unless the response is this error. An empty message accepts any.
func (res *response) wantError(status int, code, message string) error {
	if err := res.want(status); err != nil {
		return err
	}
	e := res.refusal
	kind, _, _ := mime.ParseMediaType(res.header.Get("Content-Type"))
	switch {
	case kind != "application/json":
		return fmt.Errorf("%s refuses with %d as %q, not application/json", res, status, kind)
	case e.Code != code:
		return fmt.Errorf("%s answers code %q, not %q", res, e.Code, code)
	case e.Error == "" || message != "" && e.Error != message:
		return fmt.Errorf("%s answers error %q, not %q", res, e.Error, message)
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
	request, _ := verify.ParseRequest(res.path) // the path was sent
	decoded, err := verify.Decode(res.body, request)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", res, err)
	}
	return decoded, nil
}
