package verify

import (
	"fmt"
	"slices"
)

// walk is a list's pages, as far as they have come.
type walk struct {
	report Report
	kind   kind
	client string
	// request is that of the first page here; fromStart, that the walk began with it.
	request   *request
	fromStart bool
	after     string // the cursor that the next page starts after
	last      row
	rows      int
	faults    int

	// ids are the basis' and seen the rows', while there is a basis to compare with.
	ids, seen []string
	hasBasis  bool
	// total is the first page's; moved tells that a later page had another.
	total *int
	moved string
}

// maxOpen bounds the walks that wait for their next page, and so the memory.
const maxOpen = 100

// walks joins pages to walks, also of several that alternate, if the pages come
// with their requests.
type walks struct {
	byCursor map[string]*walk
	latest   *walk
	open     []*walk // the oldest first
}

func newWalks() *walks { return &walks{byCursor: map[string]*walk{}} }

// add takes a page in, and returns the reports of the walks that it ends.
func (w *walks) add(n int, b *body, rows []row) []*Report {
	if b.meta.HasMore == nil {
		return nil
	}
	var ended []*Report
	on := w.find(b, rows)
	if on == nil {
		on = newWalk(b)
		// Only the latest walk can go on without requests: now it no longer can.
		if slices.Contains(w.open, w.latest) && !w.latest.exact() {
			ended = w.end([]*walk{w.latest}, false)
		}
		if len(w.open) == maxOpen {
			ended = append(ended, w.end(w.open[:1], false)...)
		}
		w.open = append(w.open, on)
	} else {
		delete(w.byCursor, on.after)
	}
	on.take(n, b, rows)
	w.latest = on
	if *b.meta.HasMore && b.meta.NextCursor != nil {
		on.after = *b.meta.NextCursor
		w.byCursor[on.after] = on
		return ended
	}
	return append(ended, w.end([]*walk{on}, true)...)
}

// end lets walks go and says what was found of them.
func (w *walks) end(walks []*walk, complete bool) []*Report {
	var reports []*Report
	for _, one := range slices.Clone(walks) {
		w.open = slices.DeleteFunc(w.open, func(o *walk) bool { return o == one })
		if w.byCursor[one.after] == one {
			delete(w.byCursor, one.after)
		}
		if r := one.finish(complete); r != nil {
			reports = append(reports, r)
		}
	}
	return reports
}

// find is the walk that a page goes on with. A request says so by its cursor.
// Where requests are not saved, the page before must have promised more, and
// this one must carry no basis, as only first pages do, and stand after it.
func (w *walks) find(b *body, rows []row) *walk {
	if b.request != nil && b.request.exact {
		return w.byCursor[b.request.after]
	}
	on := w.latest
	goesOn := on != nil && w.byCursor[on.after] == on && on.kind == b.kind && on.client == b.meta.ClientID &&
		b.meta.Basis == nil && len(rows) > 0 && b.kind.before(on.last, rows[0])
	if !goesOn {
		return nil
	}
	return on
}

func newWalk(b *body) *walk {
	return &walk{
		kind: b.kind, client: b.meta.ClientID, request: b.request,
		fromStart: b.request == nil || !b.request.exact || b.request.after == "",
		hasBasis:  b.meta.Basis != nil, ids: basisIDs(b), total: b.meta.Total,
		report: Report{Of: "walk", What: string(b.kind), Client: b.meta.ClientID},
	}
}

// exact tells whether the walk's pages come with their requests.
func (k *walk) exact() bool { return k.request != nil && k.request.exact }

func basisIDs(b *body) []string {
	if b.meta.Basis == nil {
		return nil
	}
	return b.meta.Basis.IDs
}

func (k *walk) take(n int, b *body, rows []row) {
	if len(k.report.Responses) > 0 && len(rows) > 0 && k.rows > 0 && !k.kind.before(k.last, rows[0]) {
		k.faults++
		k.report.hold("order", false, "response %d goes on with %s, which does not come after %s", n, rows[0].ID, k.last.ID)
	}
	k.report.Responses = append(k.report.Responses, n)
	if len(rows) > 0 {
		k.last = rows[len(rows)-1]
	}
	k.rows += len(rows)
	if k.hasBasis {
		for _, one := range rows {
			k.seen = append(k.seen, one.ID)
		}
	}
	if k.total != nil && b.meta.Total != nil && *b.meta.Total != *k.total && k.moved == "" {
		k.moved = fmt.Sprintf("from %d to %d at response %d", *k.total, *b.meta.Total, n)
	}
}

// finish says what the pages are together. A single page has said it all.
func (k *walk) finish(complete bool) *Report {
	r := &k.report
	if len(r.Responses) < 2 {
		return nil
	}
	if k.faults == 0 {
		// The order is strict, on pages and between them: no row came twice.
		r.hold("order", true, "")
	}
	if k.kind != interviewList {
		return r
	}
	switch {
	case !complete:
		r.skip("membership", "the last page is missing")
	case !k.fromStart:
		r.skip("membership", "the first page is missing")
	case k.moved != "":
		r.skip("membership", "interviews were written meanwhile: the total went %s", k.moved)
	case k.hasBasis:
		k.compareIDs(r)
	case k.total != nil && k.exact() && k.request.whole():
		r.equal("membership", k.rows, *k.total)
	default:
		r.skip("membership", "no basis says which interviews the walk should hold; it holds %d", k.rows)
	}
	return r
}

func (k *walk) compareIDs(r *Report) {
	slices.Sort(k.seen)
	if slices.Equal(k.seen, k.ids) {
		r.hold("membership", true, "")
		return
	}
	missing, extra := without(k.ids, k.seen), without(k.seen, k.ids)
	r.hold("membership", false, "%d rows of %d ids: %d of the ids did not come%s, %d rows are not among them%s",
		len(k.seen), len(k.ids), len(missing), example(missing), len(extra), example(extra))
}

// without lists what is in a and not in b; both ascend.
func without(a, b []string) []string {
	var only []string
	for _, one := range a {
		if _, found := slices.BinarySearch(b, one); !found {
			only = append(only, one)
		}
	}
	return only
}

func example(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (such as " + ids[0] + ")"
}
