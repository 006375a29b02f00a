package verify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/verify"
)

// Pages are joined however they were saved: one after the other, one a line, in
// an array, with their requests, and with those even when two walks alternate.
func TestVerify_WalksAreJoined(t *testing.T) {
	t.Parallel()
	r, _ := record(t, "globex")
	paths, pages := r.walk(t, "/interviews", 2)
	if len(pages) != 4 {
		t.Fatalf("%d pages, want 4", len(pages))
	}
	requested := make([]string, len(pages))
	for i := range pages {
		requested[i] = wrapped(paths[i], pages[i])
	}
	for name, input := range map[string]string{
		"concatenated": strings.Join(pages, ""),
		"one a line":   strings.Join(pages, "\n") + "\n",
		"an array":     "\ufeff[" + strings.Join(pages, ",\r\n\t") + "]",
		"arrays":       "[" + pages[0] + "," + pages[1] + "] [] [" + pages[2] + "]" + pages[3],
		"requests":     strings.Join(requested, "\n"),
	} {
		v := run(t, input, "")
		v.wantNoFailure(t, name)
		if got := v.with(t, "walk [1 2 3 4]", verify.Passed); !slices.Equal(got, []string{"order", "membership"}) {
			t.Errorf("%s: of the walk %v hold, want order and membership", name, got)
		}
		if v.Responses != 4 || v.Walks != 1 {
			t.Errorf("%s: %d responses and %d walks, want 4 and 1", name, v.Responses, v.Walks)
		}
	}

	otherPaths, other := r.walk(t, "/interviews?status=completed", 1)
	var both []string
	for i := range requested {
		both = append(both, requested[i], wrapped(otherPaths[i], other[i]))
	}
	v := run(t, strings.Join(both, "\n"), "")
	v.wantNoFailure(t, "two walks")
	if !slices.Contains(v.names(), "walk [1 3 5 7]") || !slices.Contains(v.names(), "walk [2 4 6 8]") {
		t.Errorf("two walks in turns were joined as %v", v.names())
	}

	// Two walks one after the other are two, also of a legacy client.
	legacy, _ := record(t, "acme")
	_, one := legacy.walk(t, "/interviews", 3)
	v = run(t, strings.Join(slices.Concat(one, one), "\n"), "")
	v.wantNoFailure(t, "two walks of a legacy client")
	if v.Walks != 2 {
		t.Errorf("two legacy walks were joined as %v", v.names())
	}
	for _, path := range []string{"/campaigns", "/synthesis"} {
		_, pages := r.walk(t, path, 1)
		v := run(t, strings.Join(pages, "\n"), "")
		v.wantNoFailure(t, path)
		if v.Walks != 1 {
			t.Errorf("%s: the pages were joined as %v", path, v.names())
		}
	}
}

// A walk that lost, repeated or mixed up something is caught, and so is one that
// is not all there; one that saw writes says that it cannot tell.
func TestVerify_WalksThatAreNotWhole(t *testing.T) {
	t.Parallel()
	r, seed := record(t, "globex")
	paths, pages := r.walk(t, "/interviews", 2)
	requested := func(order ...int) string {
		var lines []string
		for _, i := range order {
			lines = append(lines, wrapped(paths[i], pages[i]))
		}
		return strings.Join(lines, "\n")
	}
	var third struct{ Data []json.RawMessage }
	if err := json.Unmarshal([]byte(pages[2]), &third); err != nil {
		t.Fatal(err)
	}
	lost := strings.Replace(strings.Replace(pages[2], string(third.Data[0])+",", "", 1), `"count":2`, `"count":1`, 1)

	v := run(t, strings.Join([]string{pages[0], pages[1], lost, pages[3]}, ""), "")
	if got := v.with(t, "walk [1 2 3 4]", verify.Failed); !slices.Equal(got, []string{"membership"}) {
		t.Errorf("a lost row: %v fail", got)
	}
	v = run(t, requested(0, 1, 2), "")
	if got := v.with(t, "walk [1 2 3]", verify.Skipped); !slices.Equal(got, []string{"membership"}) {
		t.Errorf("without its last page: %v are not checked", got)
	}
	v = run(t, requested(1, 2, 3), "")
	if got := v.with(t, "walk [1 2 3]", verify.Skipped); !slices.Equal(got, []string{"membership"}) {
		t.Errorf("without its first page: %v are not checked", got)
	}
	// The second page's rows where the third's should be.
	again := wrapped(paths[2], strings.Replace(pages[1], cursorOf(t, pages[1]), cursorOf(t, pages[2]), 1))
	v = run(t, strings.Join([]string{requested(0, 1), again, requested(3)}, "\n"), "")
	if got := v.with(t, "walk [1 2 3 4]", verify.Failed); !slices.Equal(got, []string{"order", "membership"}) {
		t.Errorf("a page that came twice: %v fail", got)
	}

	first := r.get(t, "/interviews?limit=4")
	seed.Interview(t, "globex", nil)
	next := "/interviews?limit=200&starting_after=" + cursorOf(t, first)
	v = run(t, wrapped("/interviews?limit=4", first)+wrapped(next, r.get(t, next)), "")
	v.wantNoFailure(t, "a walk that saw a write")
	if got := v.with(t, "walk [1 2]", verify.Skipped); !slices.Equal(got, []string{"membership"}) {
		t.Errorf("a walk that saw a write: %v are not checked", got)
	}
}

func cursorOf(t *testing.T, body string) string {
	t.Helper()
	var page struct {
		Meta struct {
			Next string `json:"next_cursor"`
		}
	}
	if err := json.Unmarshal([]byte(body), &page); err != nil {
		t.Fatal(err)
	}
	return page.Meta.Next
}

// Walks whose end was not saved are told and let go as the input goes on, so
// that memory does not grow with it.
func TestVerify_UnfinishedWalksAreLetGo(t *testing.T) {
	t.Parallel()
	r, _ := record(t, "globex")
	paths, pages := r.walk(t, "/interviews", 2)
	told := 0
	var input strings.Builder
	for range 3 {
		input.WriteString(pages[0] + pages[1])
	}
	input.WriteString(pages[0] + "what") // the input breaks here: what is told was told before
	count := func(report *verify.Report) error {
		if report.Of == "walk" {
			told++
		}
		return nil
	}
	if _, err := verify.Verify(strings.NewReader(input.String()), "", count); err == nil || told != 3 {
		t.Errorf("%d walks were told before the input broke (%v), want 3", told, err)
	}

	// With requests a walk may go on later, but not any number of them.
	told = 0
	input.Reset()
	for n := range 150 {
		other := strings.Replace(pages[1], cursorOf(t, pages[1]), fmt.Sprintf("cursor-%d", n), 1)
		input.WriteString(wrapped(paths[0], pages[0]) + wrapped(paths[1], other))
	}
	if _, err := verify.Verify(strings.NewReader(input.String()+"what"), "", count); err == nil || told != 50 {
		t.Errorf("%d walks were told before the input broke (%v), want 50 of 150", told, err)
	}
}

// Decoded pages are checked together, as saved ones are.
func TestCheckWalk_PagesInOrder(t *testing.T) {
	t.Parallel()
	page := func(id string) *verify.Response {
		t.Helper()
		var body verify.Envelope
		text := fmt.Sprintf(`{"data": [{"id": %q, "client_id": %q, "status": "completed", "created_at": "2026-03-02T00:00:00Z"}],
			"meta": {"client_id": %q, "count": 1, "has_more": true, "next_cursor": "c", "measurement_mode": "legacy"}}`, id, client, client)
		if err := json.Unmarshal([]byte(text), &body); err != nil {
			t.Fatal(err)
		}
		decoded, err := body.Decode(api + "/interviews?limit=1")
		if err != nil {
			t.Fatal(err)
		}
		return decoded
	}
	for name, c := range map[string]struct {
		pages []*verify.Response
		fails int
	}{
		"in order": {[]*verify.Response{page(one), page(two)}, 0},
		"reversed": {[]*verify.Response{page(two), page(one)}, 1},
		"repeated": {[]*verify.Response{page(one), page(one)}, 1},
	} {
		report, err := verify.CheckWalk(c.pages)
		if err != nil || report == nil || report.Count(verify.Failed) != c.fails {
			t.Errorf("%s: %+v, %v, want %d failures", name, report, err, c.fails)
		}
	}
	if report, err := verify.CheckWalk([]*verify.Response{page(one)}); report != nil || err != nil {
		t.Errorf("a single page: %+v, %v, want no report", report, err)
	}
}
