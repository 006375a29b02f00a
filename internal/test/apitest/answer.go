package apitest

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

// Answer is a whole HTTP response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte

	request string
}

// WantStatus fails the test when the status is another.
func (a *Answer) WantStatus(t testing.TB, want int) *Answer {
	t.Helper()
	if a.Status != want {
		t.Fatalf("%s: status %d, want %d; body: %s", a.request, a.Status, want, a.Body)
	}
	return a
}

// WantError fails the test unless the envelope says exactly this.
func (a *Answer) WantError(t testing.TB, status int, code, message string) *Answer {
	t.Helper()
	a.WantStatus(t, status)
	if got := a.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("%s: content type %q, want application/json", a.request, got)
	}
	var e struct{ Error, Details, Code string }
	a.Decode(t, &e)
	if e.Code != code || e.Error != message {
		t.Fatalf("%s: error %q code %q, want %q code %q; details %q", a.request, e.Error, e.Code, message, code, e.Details)
	}
	return a
}

// Details is the envelope's details.
func (a *Answer) Details(t testing.TB) string {
	t.Helper()
	var e struct{ Details string }
	a.Decode(t, &e)
	return e.Details
}

// Decode reads the body into v.
func (a *Answer) Decode(t testing.TB, v any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		t.Fatalf("%s: decoding %q: %v", a.request, a.Body, err)
	}
}

// List is a list response, its rows as they came.
type List struct {
	Data []map[string]json.RawMessage
	Meta map[string]json.RawMessage
}

// List decodes a list response.
func (a *Answer) List(t testing.TB) List {
	t.Helper()
	var l List
	a.WantStatus(t, http.StatusOK).Decode(t, &l)
	return l
}

// IDs are the rows' ids in order.
func (l List) IDs(t testing.TB) []string {
	t.Helper()
	ids := make([]string, len(l.Data))
	for i, row := range l.Data {
		if err := json.Unmarshal(row["id"], &ids[i]); err != nil {
			t.Fatalf("row %d has no id: %v", i, err)
		}
	}
	return ids
}

// NextCursor is meta.next_cursor, empty when null.
func (l List) NextCursor(t testing.TB) string {
	t.Helper()
	var cursor *string
	if err := json.Unmarshal(l.Meta["next_cursor"], &cursor); err != nil {
		t.Fatalf("meta has no next_cursor: %v", err)
	}
	if cursor == nil {
		return ""
	}
	return *cursor
}

// WantIDs fails the test unless the list holds exactly these, in this order.
func (a *Answer) WantIDs(t testing.TB, want ...string) *Answer {
	t.Helper()
	if got := a.List(t).IDs(t); !slices.Equal(got, want) {
		t.Fatalf("%s: ids %v, want %v", a.request, got, want)
	}
	return a
}
