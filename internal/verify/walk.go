package verify

import (
	"fmt"
	"slices"
)

// Walk is the pages of one list, in the order in which they were read.
type Walk struct {
	report Report
	first  *Response
	last   Row
	next   *string // the cursor of the next page

	ids     []string
	changed bool // a later page's total differs from the first's
}

// continues reports whether the page goes on where the walk stands. The cursor of its
// own request tells that. Without one, the walk must have a next page, and this page
// must come later in the order and have no basis: only first pages have one.
func (w *Walk) continues(res *Response) bool {
	switch {
	case w.next == nil:
		return false
	case res.request != nil && !res.request.shared:
		return res.request.after == *w.next
	}
	return w.first.kind == res.kind && w.report.Client == res.Meta.ClientID && res.Meta.Basis == nil &&
		len(res.Rows) > 0 && w.last != nil && res.kind.order(w.last, res.Rows[0]) < 0
}

// Add adds a page, the nth response. Check has checked it by itself.
func (w *Walk) Add(n int, res *Response) {
	if w.first == nil {
		w.first = res
		w.report = Report{Of: "walk", What: res.kind.name, Client: res.Meta.ClientID}
	}
	w.report.Responses = append(w.report.Responses, n)
	w.next = res.Meta.NextCursor
	for i, row := range res.Rows {
		if i == 0 && w.last != nil && res.isPage() && res.kind.order(w.last, row) >= 0 {
			w.report.check("order", false, "response %d goes on with %s, which does not come after %s", n, row.Text("id"), w.last.Text("id"))
		}
		w.ids = append(w.ids, row.Text("id"))
		w.last = row
	}
	if before, now := w.first.Meta.Total, res.Meta.Total; before != nil && now != nil && *before != *now {
		w.changed = true
	}
}

// Finish checks the pages together.
func (w *Walk) Finish() *Report {
	r := &w.report
	if len(r.Checks) == 0 {
		// The order is strict within and between pages, so no row came twice.
		r.check("order", true, "")
	}
	if w.first.kind != interviewList {
		return r
	}
	basis, total, asked := w.first.Meta.Basis, w.first.Meta.Total, w.first.request
	slices.Sort(w.ids)
	switch {
	case w.next != nil || asked != nil && asked.after != "":
		r.skip("membership", "the first or the last page is missing")
	case w.changed:
		r.skip("membership", "interviews were written meanwhile: the total changed")
	case basis != nil:
		r.check("membership", slices.Equal(w.ids, basis.IDs), "%d rows came of %d interviews in the first page's basis%s",
			len(w.ids), len(basis.IDs), difference(w.ids, basis.IDs))
	case total != nil && asked != nil && !asked.shared && asked.Whole():
		r.equal("membership", len(w.ids), *total)
	default:
		r.skip("membership", "no basis says which interviews the walk should have; it has %d", len(w.ids))
	}
	return r
}

// difference names an id that only one of two ascending lists has.
func difference(rows, basis []string) string {
	for _, id := range slices.Concat(rows, basis) {
		_, came := slices.BinarySearch(rows, id)
		_, stated := slices.BinarySearch(basis, id)
		if came != stated {
			return fmt.Sprintf(": %s came: %v", id, came)
		}
	}
	return ""
}
