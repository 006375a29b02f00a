package verify_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/internal/verify"
)

// Pages are joined however they were saved: one after the other, one a line, in
// an array, or with their requests.
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
		"an array":     "[" + strings.Join(pages, ",\r\n\t") + "]",
		"arrays":       "[" + pages[0] + "," + pages[1] + "] [] [" + pages[2] + "]" + pages[3],
		"requests":     strings.Join(requested, "\n"),
	} {
		v := run(t, input, "")
		wantNoFailure(t, v, name)
		check.Slices(t, with(t, v, verify.Passed, 1, 2, 3, 4), []string{"order", "membership"}, name)
		if v.Responses != 4 || v.Walks != 1 {
			t.Errorf("%s: %d responses and %d walks, want 4 and 1", name, v.Responses, v.Walks)
		}
	}

	// Two walks one after the other are two, also of a legacy client.
	legacy, _ := record(t, "acme")
	_, one := legacy.walk(t, "/interviews", 3)
	v := run(t, strings.Join(slices.Concat(one, one), "\n"), "")
	wantNoFailure(t, v, "two walks of a legacy client")
	check.Equal(t, v.Walks, 2, "two legacy walks were joined as", v)
	for _, path := range []string{"/campaigns", "/synthesis"} {
		_, pages := r.walk(t, path, 1)
		v := run(t, strings.Join(pages, "\n"), "")
		wantNoFailure(t, v, path)
		check.Equal(t, v.Walks, 1, path, v)
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
	require.NoError(t, json.Unmarshal([]byte(pages[2]), &third))
	lost := strings.Replace(strings.Replace(pages[2], string(third.Data[0])+",", "", 1), `"count":2`, `"count":1`, 1)
	// The second page's rows where the third's should be.
	again := wrapped(paths[2], strings.Replace(pages[1], cursorOf(t, pages[1]), cursorOf(t, pages[2]), 1))
	// Without the basis, the total of an unfiltered list tells.
	var first struct {
		Meta struct {
			Basis json.RawMessage `json:"measurement_basis"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(pages[0]), &first))
	large := strings.Replace(strings.Replace(pages[0], `"measurement_basis":`+string(first.Meta.Basis)+",", "", 1),
		`"measurement_omitted_fields":[]`, `"measurement_omitted_fields":["measurement_basis"]`, 1)

	for name, c := range map[string]struct {
		input   string
		outcome verify.Outcome
		want    []string
		pages   []int
	}{
		"a lost row":                  {pages[0] + pages[1] + lost + pages[3], verify.Failed, []string{"membership"}, []int{1, 2, 3, 4}},
		"a page that came twice":      {requested(0, 1) + again + requested(3), verify.Failed, []string{"order", "membership"}, []int{1, 2, 3, 4}},
		"a lost row, without a basis": {wrapped(paths[0], large) + requested(1) + wrapped(paths[2], lost) + requested(3), verify.Failed, []string{"membership"}, []int{1, 2, 3, 4}},
		"all, without a basis":        {wrapped(paths[0], large) + requested(1, 2, 3), verify.Passed, []string{"order", "membership"}, []int{1, 2, 3, 4}},
		"no last page":                {requested(0, 1, 2), verify.Skipped, []string{"membership"}, []int{1, 2, 3}},
		"no first page":               {requested(1, 2, 3), verify.Skipped, []string{"membership"}, []int{1, 2, 3}},
	} {
		check.Slices(t, with(t, run(t, c.input, ""), c.outcome, c.pages...), c.want, name, c.outcome)
	}

	page := r.get(t, "/interviews?limit=4")
	seed.Interview(t, "globex", nil)
	next := "/interviews?limit=200&starting_after=" + cursorOf(t, page)
	v := run(t, wrapped("/interviews?limit=4", page)+wrapped(next, r.get(t, next)), "")
	wantNoFailure(t, v, "a walk that saw a write")
	check.Slices(t, with(t, v, verify.Skipped, 1, 2), []string{"membership"}, "not checked of a walk that saw a write")
}

func cursorOf(t *testing.T, body string) string {
	t.Helper()
	var page struct {
		Meta struct {
			Next string `json:"next_cursor"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(body), &page))
	return page.Meta.Next
}
