package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// prefix is what every route begins with.
	prefix = "/api/client/v1"
	// maxBody is the largest answer that is read.
	maxBody = 64 << 20
)

// wire sends the requests of a run, one after another, and counts them.
type wire struct {
	base string
	http *http.Client
	// max bounds the requests of the whole run, used are sent.
	max, used int
	// maxWait is the longest Retry-After that is honoured, once.
	maxWait time.Duration
	waited  bool
	// look sees every answer.
	look func(*answer)
}

// answer is a whole response, and what it answers.
type answer struct {
	subject   *subject // nil: asked without a key
	method    string
	path      string // below the base, with the query
	requestID string
	status    int
	header    http.Header
	body      []byte
	at        time.Time
}

func newWire(o Options) *wire {
	return &wire{
		base: strings.TrimRight(o.BaseURL, "/"), max: o.MaxRequests, maxWait: o.MaxWait,
		http: &http.Client{
			Timeout: 2 * time.Minute,
			// A redirect would carry the key elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// get asks for a path below the prefix with the subject's key, or with none.
func (w *wire) get(ctx context.Context, s *subject, path string) (*answer, error) {
	return w.send(ctx, s, http.MethodGet, prefix+path, nil, nil)
}

// send sends a request. The server's word to come back later is honoured once.
func (w *wire) send(
	ctx context.Context, s *subject, method, path string, header http.Header, body []byte,
) (*answer, error) {
	a, err := w.once(ctx, s, method, path, header, body)
	if err != nil || (a.status != http.StatusTooManyRequests && a.status != http.StatusServiceUnavailable) {
		return a, err
	}
	seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
	wait := time.Duration(seconds) * time.Second
	switch {
	case err != nil || seconds < 1:
		return nil, fmt.Errorf("%s answers %d without a Retry-After that tells when to come back", a, a.status)
	case w.waited || wait > w.maxWait:
		if a.status == http.StatusTooManyRequests {
			return nil, skipf("the key's hour is used up: %s says to come back in %s", a, wait)
		}
		return nil, fmt.Errorf("%s answers %d %s", a, a.status, a.code())
	}
	w.waited = true
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return w.send(ctx, s, method, path, header, body)
}

func (w *wire) once(
	ctx context.Context, s *subject, method, path string, header http.Header, body []byte,
) (*answer, error) {
	if w.used >= w.max {
		return nil, skipf("the %d requests of this run are used up", w.max)
	}
	w.used++
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("making the request for %s: %w", path, err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if s != nil {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}
	a := &answer{subject: s, method: method, path: path, requestID: fmt.Sprintf("conformance-%d", w.used)}
	req.Header.Set("X-Request-Id", a.requestID)
	res, err := w.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s gets no answer: %w", a, err)
	}
	defer res.Body.Close()
	a.status, a.header, a.at = res.StatusCode, res.Header, time.Now()
	a.body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("%s breaks off: %w", a, err)
	}
	if len(a.body) > maxBody {
		return nil, skipf("%s answers more than %d MiB", a, maxBody>>20)
	}
	w.look(a)
	return a, nil
}

func (a *answer) String() string { return a.method + " " + a.path }

// envelope is a refusal's body.
type envelope struct {
	Error   *string `json:"error"`
	Code    string  `json:"code"`
	Details string  `json:"details"`
}

func (a *answer) envelope() envelope {
	var e envelope
	_ = json.Unmarshal(a.body, &e)
	return e
}

func (a *answer) code() string { return a.envelope().Code }

// want holds the status.
func (a *answer) want(status int) error {
	if a.status != status {
		return fmt.Errorf("%s answers %d %s, not %d", a, a.status, a.code(), status)
	}
	return nil
}

// wantError holds a refusal word for word. An empty message leaves it free.
func (a *answer) wantError(status int, code, message string) error {
	if err := a.want(status); err != nil {
		return err
	}
	e := a.envelope()
	switch {
	case e.Error == nil:
		return fmt.Errorf("%s answers %d without the envelope's error", a, status)
	case e.Code != code:
		return fmt.Errorf("%s answers code %q, not %q", a, e.Code, code)
	case message != "" && *e.Error != message:
		return fmt.Errorf("%s answers error %q, not %q", a, *e.Error, message)
	case status == http.StatusBadRequest && e.Details == "":
		return fmt.Errorf("%s answers 400 without details", a)
	}
	return nil
}

// page is a list's answer, its rows as they came.
type page struct {
	Data []json.RawMessage `json:"data"`
	Meta struct {
		ClientID   string  `json:"client_id"`
		HasMore    *bool   `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
		Identity   bool    `json:"includes_customer_identity"`
		Transcript bool    `json:"includes_transcripts"`
		Raw        bool    `json:"includes_raw_extraction"`
		Custom     bool    `json:"includes_custom_extraction"`
		Total      *int    `json:"measurement_total_count"`
	} `json:"meta"`
}

func (a *answer) page() (*page, error) {
	if err := a.want(http.StatusOK); err != nil {
		return nil, err
	}
	var p page
	if err := json.Unmarshal(a.body, &p); err != nil {
		// The decoder's own words may quote the answer.
		return nil, fmt.Errorf("%s answers no list in the envelope", a)
	}
	if p.Data == nil {
		return nil, fmt.Errorf("%s answers no data", a)
	}
	return &p, nil
}

// fieldsOf are a row's fields as they came.
func fieldsOf(row json.RawMessage) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(row, &fields); err != nil || fields == nil {
		return nil, errors.New("a row is no JSON object")
	}
	return fields, nil
}

// idOf is a row's id.
func idOf(row json.RawMessage) string {
	var r struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(row, &r)
	return r.ID
}
