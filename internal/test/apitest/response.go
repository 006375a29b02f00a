package apitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Response is a whole HTTP response.
type Response struct {
	Status int
	Header http.Header
	Body   []byte

	request string
}

// WantStatus fails the test when the status is another.
func (r *Response) WantStatus(t testing.TB, want int) *Response {
	t.Helper()
	if r.Status != want {
		t.Fatalf("%s: status %d, want %d; body: %s", r.request, r.Status, want, r.Body)
	}
	return r
}

// WantError fails the test unless the envelope is exactly this.
func (r *Response) WantError(t testing.TB, status int, code, message string) *Response {
	t.Helper()
	r.WantStatus(t, status)
	check.Equal(t, r.Header.Get("Content-Type"), "application/json", r.request)
	var e struct{ Error, Details, Code string }
	r.Decode(t, &e)
	if e.Code != code || e.Error != message {
		t.Fatalf("%s: error %q code %q, want %q code %q; details %q", r.request, e.Error, e.Code, message, code, e.Details)
	}
	return r
}

// Details is the envelope's details.
func (r *Response) Details(t testing.TB) string {
	t.Helper()
	var e struct{ Details string }
	r.Decode(t, &e)
	return e.Details
}

// Decode reads the body into v.
func (r *Response) Decode(t testing.TB, v any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.Body, v), r.request, r.Body)
}

// List is a list response, its rows as they came.
type List struct {
	Data []map[string]json.RawMessage
	Meta map[string]json.RawMessage
}

// List decodes a list response.
func (r *Response) List(t testing.TB) List {
	t.Helper()
	var l List
	r.WantStatus(t, http.StatusOK).Decode(t, &l)
	return l
}

// IDs are the rows' ids in order.
func (l List) IDs(t testing.TB) []string {
	t.Helper()
	ids := make([]string, len(l.Data))
	for i, row := range l.Data {
		require.NoError(t, json.Unmarshal(row["id"], &ids[i]), i)
	}
	return ids
}

// NextCursor is meta.next_cursor, empty when null.
func (l List) NextCursor(t testing.TB) string {
	t.Helper()
	var cursor *string
	require.NoError(t, json.Unmarshal(l.Meta["next_cursor"], &cursor))
	if cursor == nil {
		return ""
	}
	return *cursor
}

// WantIDs fails the test unless the list holds exactly these, in this order.
func (r *Response) WantIDs(t testing.TB, want ...string) *Response {
	t.Helper()
	if got := r.List(t).IDs(t); !slices.Equal(got, want) {
		t.Fatalf("%s: ids %v, want %v", r.request, got, want)
	}
	return r
}
