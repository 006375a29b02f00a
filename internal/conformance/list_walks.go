package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
)

// list is a list route; its path ends where the parameters of a page follow.
type list struct {
	name, path string
	scopes     []auth.Scope
}

func lists() []list {
	return []list{
		{"interviews", "/interviews?", []auth.Scope{auth.ReadInterviewsMetadata}},
		{"campaigns", "/campaigns?", []auth.Scope{auth.ReadCampaigns}},
		{"synthesis", "/synthesis?", []auth.Scope{auth.ReadSynthesis}},
		{"portal_daily_feed", "/synthesis?surface=portal&type=daily_feed&", []auth.Scope{auth.ReadCustomerIdentity, auth.ReadSynthesis}},
	}
}

// A list is read to its end in pages of the largest size, up to maxReference
// pages. Smaller page sizes are read for maxPages pages only.
const (
	largest      = 200
	maxReference = 10
	maxPages     = 4
)

// walk is the rows of a list, read page by page; complete when it reached the end.
type walk struct {
	rows     []verify.Row
	complete bool
}

// same compares rows, except for measurement_integrity, which changes with the time of
// reading. Portal bodies have no id to compare.
func same(a, b verify.Row) bool {
	a, b = maps.Clone(a), maps.Clone(b)
	delete(a, "measurement_integrity")
	delete(b, "measurement_integrity")
	return maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

// checkWalks walks every list at several page sizes. All walks must be the same.
func (r *run) checkWalks(ctx context.Context, key *apiKey) {
	for _, l := range lists() {
		var reference *walk
		r.check("walks/"+l.name+"/whole", key, func() error {
			var err error
			reference, err = r.walkList(ctx, key, l, largest, maxReference)
			return err
		}, l.scopes...)
		// compare makes a check that compares the list with what it was read as. The
		// list is read again before a difference is a failure: a write explains it.
		compare := func(name string, difference func() error) {
			r.check("walks/"+l.name+"/"+name, key, func() error {
				if reference == nil || len(reference.rows) < 2 {
					return skipf("there are no rows to walk over")
				}
				found := difference()
				if found == nil || isSkipped(found) {
					return found
				}
				again, err := r.walkList(ctx, key, l, largest, maxReference)
				if err != nil {
					return err
				}
				before := reference
				reference = again
				if !slices.EqualFunc(before.rows, again.rows, same) {
					return skipf("rows are written while the list is read")
				}
				return found
			}, l.scopes...)
		}
		for _, size := range []int{1, 2, 7, 50} {
			compare(fmt.Sprintf("page_size_%d", size), func() error {
				w, err := r.walkList(ctx, key, l, size, maxPages)
				if err != nil {
					return err
				}
				return w.differenceFrom(reference)
			})
		}
		if l.name == "interviews" {
			compare("reconciles", func() error { return r.countAll(ctx, key, reference) })
		}
	}
}

// walkList follows the cursors, and checks the pages together as verify does.
func (r *run) walkList(ctx context.Context, key *apiKey, l list, size, pages int) (*walk, error) {
	w, joined := &walk{}, &verify.Walk{}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	for n := range pages {
		path := l.path + query.Encode()
		page, err := r.getAnswer(ctx, key, path)
		if err != nil {
			return nil, err
		}
		if len(page.Rows) > size {
			return nil, fmt.Errorf("%s answers %d rows", path, len(page.Rows))
		}
		joined.Add(n+1, page)
		w.rows = append(w.rows, page.Rows...)
		if page.Meta.NextCursor == nil {
			w.complete = true
			break
		}
		query.Set("starting_after", *page.Meta.NextCursor)
	}
	if err := joined.Finish().Err(); err != nil {
		return nil, fmt.Errorf("the walk over %s in pages of %d: %w", l.name, size, err)
	}
	return w, nil
}

// differenceFrom says how a walk differs from the list as it was read in the largest
// pages. It quotes no row: a portal body is the client's text.
func (w *walk) differenceFrom(reference *walk) error {
	for i, row := range w.rows {
		switch {
		case i >= len(reference.rows) && !reference.complete:
			return nil // further than the list was read
		case i >= len(reference.rows):
			return fmt.Errorf("the walk has more than the %d rows of the list read whole", i)
		case !same(reference.rows[i], row):
			return fmt.Errorf("row %d of the walk is another in the list read whole", i+1)
		}
	}
	if w.complete && reference.complete && len(w.rows) < len(reference.rows) {
		return fmt.Errorf("the walk ends after %d of %d rows", len(w.rows), len(reference.rows))
	}
	return nil
}

// countAll compares three counts of the visible interviews.
func (r *run) countAll(ctx context.Context, key *apiKey, reference *walk) error {
	listed := len(reference.rows)
	if !reference.complete {
		return skipf("there are more than %d interviews", listed)
	}
	analytics, err := r.getAnswer(ctx, key, "/analytics/interviews?date_from=0001-01-01&date_to=9999-12-31")
	if err != nil {
		return err
	}
	for name, count := range map[string]*int{"count": analytics.Meta.Count, "measurement_total_count": analytics.Meta.Total} {
		if count != nil && *count != listed {
			return fmt.Errorf("the walk has %d interviews, %s of analytics of all time is %d", listed, name, *count)
		}
	}
	return nil
}
