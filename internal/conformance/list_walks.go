package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
)

type list struct {
	name   string
	path   string
	query  url.Values
	scopes []auth.Scope
}

func lists() []list {
	portal := url.Values{"surface": {"portal"}, "type": {"daily_feed"}}
	return []list{
		{"interviews", "/interviews", nil, []auth.Scope{auth.ReadInterviewsMetadata}},
		{"campaigns", "/campaigns", nil, []auth.Scope{auth.ReadCampaigns}},
		{"synthesis", "/synthesis", nil, []auth.Scope{auth.ReadSynthesis}},
		{"portal_daily_feed", "/synthesis", portal, []auth.Scope{auth.ReadCustomerIdentity, auth.ReadSynthesis}},
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
	first    *response
	pages    []*verify.Response
	rows     []row
	complete bool
}

// checkWalks walks every list at several page sizes. All walks must be the same.
func (r *run) checkWalks(ctx context.Context, key *apiKey) {
	for _, l := range lists() {
		var reference *walk
		r.check("walks/"+l.name+"/whole", key, func() error {
			var err error
			reference, err = r.walkList(ctx, key, l, largest, maxReference)
			if err != nil {
				return err
			}
			if err := reference.checkTimes(); err != nil && l.name != "portal_daily_feed" {
				return err
			}
			return reference.checkOrder()
		}, l.scopes...)
		for _, size := range []int{1, 2, 7, 50} {
			r.check(fmt.Sprintf("walks/%s/page_size_%d", l.name, size), key, func() error {
				if reference == nil || len(reference.rows) < 2 {
					return skipf("there are no rows to walk over")
				}
				var err error
				reference, err = r.checkPageSize(ctx, key, l, size, reference)
				return err
			})
		}
		if l.name == "interviews" {
			r.check("walks/interviews/reconciles", key, func() error { return r.reconcile(ctx, key, reference) })
		}
	}
}

// checkPageSize walks a list in pages of a size and compares the walk with the list
// as it was read in the largest pages. A write between the two makes them differ:
// the list is read again before a difference is a failure, and then compared once
// more. It returns the latest reading.
func (r *run) checkPageSize(ctx context.Context, key *apiKey, l list, size int, reference *walk) (*walk, error) {
	for range 2 {
		w, err := r.walkList(ctx, key, l, size, maxPages)
		if err != nil {
			return reference, err
		}
		if err := w.checkOrder(); err != nil {
			return reference, err
		}
		difference := w.differenceFrom(reference)
		if difference == nil {
			return reference, nil
		}
		again, err := r.walkList(ctx, key, l, largest, maxReference)
		if err != nil {
			return reference, err
		}
		if slices.EqualFunc(again.rows, reference.rows, func(a, b row) bool { return a.content == b.content }) {
			return reference, difference
		}
		reference = again
	}
	return reference, skipf("rows are written while the list is read")
}

// walkList follows the cursors.
func (r *run) walkList(ctx context.Context, key *apiKey, l list, size, pages int) (*walk, error) {
	w := &walk{}
	query := url.Values{"limit": {strconv.Itoa(size)}}
	maps.Copy(query, l.query)
	seen := map[string]bool{}
	for range pages {
		p, err := r.getPage(ctx, key, l.path+"?"+query.Encode())
		if err != nil {
			return nil, err
		}
		// The response's own check compares has_more with next_cursor.
		next := p.decoded.Meta.NextCursor
		switch {
		case p.decoded.Meta.HasMore == nil:
			return nil, fmt.Errorf("%s has no has_more", p)
		case len(p.rows) > size:
			return nil, fmt.Errorf("%s answers %d rows", p, len(p.rows))
		case next != nil && len(p.rows) < size:
			return nil, fmt.Errorf("%s answers %d rows and says that there are more", p, len(p.rows))
		case len(p.rows) == 0 && len(w.pages) > 0:
			return nil, fmt.Errorf("%s is empty, and the page before said that there are more", p)
		}
		w.pages = append(w.pages, p.decoded)
		w.rows = append(w.rows, p.rows...)
		if w.first == nil {
			w.first = p.response
		}
		if next == nil {
			w.complete = true
			return w, nil
		}
		if seen[*next] {
			return nil, fmt.Errorf("%s gives a cursor a second time: the walk would never end", p)
		}
		seen[*next] = true
		query.Set("starting_after", *next)
	}
	return w, nil
}

// rowTimes are the date-times of rows; those inside a document are the client's own.
var rowTimes = []string{"created_at", "updated_at", "launched_at", "last_refreshed"}

var sixDigits = regexp.MustCompile(`^"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z"$`)

// checkTimes checks that texts of date-times sort as the moments do.
func (w *walk) checkTimes() error {
	for _, one := range w.rows {
		for _, name := range rowTimes {
			if at, there := one.fields[name]; there && string(at) != "null" && !sixDigits.Match(at) {
				return fmt.Errorf("%s: %s of %s is %s, not a time with six digits of a second and Z", w.first, name, one.id, at)
			}
		}
	}
	return nil
}

// checkOrder checks the order over all pages, and that no row comes twice. Portal
// bodies, which have no id, may be identical.
func (w *walk) checkOrder() error {
	seen := map[string]bool{}
	for _, one := range w.rows {
		if one.id != "" && seen[one.id] {
			return fmt.Errorf("the walk %s… holds %s twice", w.first, one)
		}
		seen[one.id] = true
	}
	report, err := verify.CheckWalk(w.pages)
	return failureOf(w.first, report, err)
}

// differenceFrom says how a walk differs from the list as it was read in the
// largest pages.
func (w *walk) differenceFrom(reference *walk) error {
	for i, one := range w.rows {
		switch {
		case i >= len(reference.rows) && !reference.complete:
			return nil // further than the list was read
		case i >= len(reference.rows):
			return fmt.Errorf("the walk %s… holds %s, which the list read whole does not", w.first, one)
		case reference.rows[i].key() != one.key():
			return fmt.Errorf("the walk %s… has %s in place %d, the list read whole another", w.first, one, i+1)
		case reference.rows[i].content != one.content:
			return fmt.Errorf("the walk %s… shows %s otherwise than the list read whole", w.first, one)
		}
	}
	if w.complete && reference.complete && len(w.rows) < len(reference.rows) {
		return fmt.Errorf("the walk %s… ends after %d of %d rows", w.first, len(w.rows), len(reference.rows))
	}
	return nil
}

// reconcile compares three counts of the visible interviews.
func (r *run) reconcile(ctx context.Context, key *apiKey, reference *walk) error {
	if reference == nil {
		return skipf("the interviews were not walked")
	}
	if !reference.complete {
		return skipf("there are more than %d interviews", len(reference.rows))
	}
	fault := r.countAll(ctx, key, len(reference.rows))
	if fault == nil {
		return nil
	}
	// A write during the run changes the count: read the list again.
	again, err := r.walkList(ctx, key, lists()[0], largest, maxReference)
	if err != nil {
		return err
	}
	if !again.complete || len(again.rows) == len(reference.rows) {
		return fault
	}
	return r.countAll(ctx, key, len(again.rows))
}

func (r *run) countAll(ctx context.Context, key *apiKey, listed int) error {
	res, err := r.get(ctx, key, "/analytics/interviews?date_from=0001-01-01&date_to=9999-12-31")
	if err != nil {
		return err
	}
	analytics, err := res.decode()
	if err != nil {
		return err
	}
	// The response's own check compares count with data.total and the rows.
	count, total := analytics.Meta.Count, analytics.Meta.Total
	if count == nil {
		return fmt.Errorf("%s has no count", res)
	}
	if *count != listed {
		return fmt.Errorf("the walk holds %d interviews, analytics of all time count %d", listed, *count)
	}
	if total != nil && *total != listed {
		return fmt.Errorf("the walk holds %d interviews, measurement_total_count is %d", listed, *total)
	}
	return nil
}
