package verify

import (
	"fmt"
	"slices"
)

// walk is the pages of one list read so far.
type walk struct {
	report Report
	kind   kind
	client string
	// request is that of the first page read; fromStart tells that this page begins the list.
	request   *request
	fromStart bool
	after     string // the cursor that the next page starts after
	last      row
	rows      int

	// basis is the first page's; seen are the ids of the rows, if there is a basis.
	basis *statedBasis
	seen  []string
	// total is the first page's; changed says how a later page's differs.
	total   *int
	changed string
}

// maxOpenWalks bounds the walks that wait for their next page, and so the memory.
const maxOpenWalks = 100

// walks joins pages to walks. Walks may alternate when pages come with their
// requests.
type walks struct {
	byCursor map[string]*walk
	latest   *walk
	open     []*walk // the oldest first
}

func newWalks() *walks { return &walks{byCursor: map[string]*walk{}} }

// isPage tells whether the response is a page of a list with a known order.
func (res *Response) isPage() bool {
	return res.Meta.HasMore != nil && slices.Contains([]kind{interviewList, campaignList, synthesisRows}, res.kind)
}

// add adds a page, and returns the reports of the walks that it ends.
func (w *walks) add(n int, res *Response) []*Report {
	if !res.isPage() {
		return nil
	}
	var ended []*Report
	on := w.find(res)
	if on == nil {
		on = newWalk(res)
		// Without requests only the latest walk can continue, and this page begins another.
		if slices.Contains(w.open, w.latest) && !w.latest.exact() {
			ended = w.end([]*walk{w.latest}, false)
		}
		if len(w.open) == maxOpenWalks {
			ended = append(ended, w.end(w.open[:1], false)...)
		}
		w.open = append(w.open, on)
	} else {
		delete(w.byCursor, on.after)
	}
	on.take(n, res)
	w.latest = on
	if *res.Meta.HasMore && res.Meta.NextCursor != nil {
		on.after = *res.Meta.NextCursor
		w.byCursor[on.after] = on
		return ended
	}
	return append(ended, w.end([]*walk{on}, true)...)
}

// end removes walks and returns their reports.
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

// find is the walk that a page continues. With a saved request, its cursor
// determines the walk. Otherwise the page before must have a next page, and this
// page must have no basis (only first pages have one) and come later in the order.
func (w *walks) find(res *Response) *walk {
	if res.request != nil && res.request.exact {
		return w.byCursor[res.request.after]
	}
	on := w.latest
	continues := on != nil && w.byCursor[on.after] == on && on.kind == res.kind && on.client == res.Meta.ClientID &&
		res.Meta.Basis == nil && len(res.rows) > 0 && res.kind.before(on.last, res.rows[0])
	if !continues {
		return nil
	}
	return on
}

func newWalk(res *Response) *walk {
	return &walk{
		kind: res.kind, client: res.Meta.ClientID, request: res.request,
		fromStart: res.request == nil || !res.request.exact || res.request.after == "",
		basis:     res.Meta.Basis, total: res.Meta.Total,
		report: Report{Of: "walk", What: string(res.kind), Client: res.Meta.ClientID},
	}
}

// exact tells whether the walk's pages come with their requests.
func (k *walk) exact() bool { return k.request != nil && k.request.exact }

func (k *walk) take(n int, res *Response) {
	rows := res.rows
	if len(k.report.Responses) > 0 && len(rows) > 0 && k.rows > 0 && !k.kind.before(k.last, rows[0]) {
		k.report.check("order", false, "response %d goes on with %s, which does not come after %s", n, rows[0].ID, k.last.ID)
	}
	k.report.Responses = append(k.report.Responses, n)
	if len(rows) > 0 {
		k.last = rows[len(rows)-1]
	}
	k.rows += len(rows)
	if k.basis != nil {
		for _, one := range rows {
			k.seen = append(k.seen, one.ID)
		}
	}
	if k.total != nil && res.Meta.Total != nil && *res.Meta.Total != *k.total && k.changed == "" {
		k.changed = fmt.Sprintf("from %d to %d at response %d", *k.total, *res.Meta.Total, n)
	}
}

// finish checks the pages together. A single page was checked by itself.
func (k *walk) finish(complete bool) *Report {
	r := &k.report
	if len(r.Responses) < 2 {
		return nil
	}
	if len(r.Checks) == 0 {
		// The order is strict within and between pages, so no row came twice.
		r.check("order", true, "")
	}
	if k.kind != interviewList {
		return r
	}
	switch {
	case !complete:
		r.skip("membership", "the last page is missing")
	case !k.fromStart:
		r.skip("membership", "the first page is missing")
	case k.changed != "":
		r.skip("membership", "interviews were written meanwhile: the total went %s", k.changed)
	case k.basis != nil:
		k.compareIDs(r)
	case k.total != nil && k.exact() && k.request.Whole():
		r.equal("membership", k.rows, *k.total)
	default:
		r.skip("membership", "no basis says which interviews the walk should hold; it holds %d", k.rows)
	}
	return r
}

func (k *walk) compareIDs(r *Report) {
	slices.Sort(k.seen)
	if slices.Equal(k.seen, k.basis.IDs) {
		r.check("membership", true, "")
		return
	}
	missing, extra := missingFrom(k.basis.IDs, k.seen), missingFrom(k.seen, k.basis.IDs)
	r.check("membership", false, "%d rows of %d ids: %d of the ids did not come%s, %d rows are not among them%s",
		len(k.seen), len(k.basis.IDs), len(missing), example(missing), len(extra), example(extra))
}

// missingFrom lists what a has and b lacks; both ascend.
func missingFrom(a, b []string) []string {
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
