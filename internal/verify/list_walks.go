package verify

import (
	"fmt"
	"slices"
)

// walk is the pages of one list read so far.
type walk struct {
	report   Report
	resource *resource
	request  *request // of the first page read
	after    string   // the cursor that the next page starts after
	last     row
	rows     int

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
	open   []*walk // the oldest first
	latest *walk   // of these; nil if it has ended
	emit   func(*Report) error
}

// isPage reports whether the response is a page of a list with a known order.
func (res *Response) isPage() bool {
	return res.Meta.HasMore != nil && slices.Contains([]*resource{interviewList, campaignList, synthesisRows}, res.resource)
}

// add adds a page, and reports the walks that it ends.
func (w *walks) add(n int, res *Response) error {
	if !res.isPage() {
		return nil
	}
	on := w.find(res)
	if on == nil {
		// Without requests only the latest walk can continue, and this page begins another.
		if w.latest != nil && !w.latest.request.isExact() {
			if err := w.end(w.latest, false); err != nil {
				return err
			}
		}
		if len(w.open) == maxOpenWalks {
			if err := w.end(w.open[0], false); err != nil {
				return err
			}
		}
		on = newWalk(res)
		w.open = append(w.open, on)
	}
	on.take(n, res)
	w.latest = on
	if *res.Meta.HasMore && res.Meta.NextCursor != nil {
		on.after = *res.Meta.NextCursor
		return nil
	}
	return w.end(on, true)
}

// end removes a walk and reports it.
func (w *walks) end(one *walk, complete bool) error {
	w.open = slices.DeleteFunc(w.open, func(o *walk) bool { return o == one })
	if w.latest == one {
		w.latest = nil
	}
	if r := one.finish(complete); r != nil {
		return w.emit(r)
	}
	return nil
}

// find is the walk that a page continues. With a saved request, its cursor
// determines the walk. Otherwise the page before must have a next page, and this
// page must have no basis (only first pages have one) and come later in the order.
func (w *walks) find(res *Response) *walk {
	if res.request.isExact() {
		for _, on := range slices.Backward(w.open) {
			if on.after == res.request.after {
				return on
			}
		}
		return nil
	}
	on := w.latest
	continues := on != nil && on.resource == res.resource && on.report.Client == res.Meta.ClientID &&
		res.Meta.Basis == nil && len(res.rows) > 0 && res.resource.before(on.last, res.rows[0])
	if !continues {
		return nil
	}
	return on
}

func newWalk(res *Response) *walk {
	return &walk{
		resource: res.resource, request: res.request, basis: res.Meta.Basis, total: res.Meta.Total,
		report: Report{Of: "walk", What: res.resource.name, Client: res.Meta.ClientID},
	}
}

func (k *walk) take(n int, res *Response) {
	rows := res.rows
	if len(rows) > 0 && k.rows > 0 && !k.resource.before(k.last, rows[0]) {
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
	if k.resource != interviewList {
		return r
	}
	switch {
	case !complete:
		r.skip("membership", "the last page is missing")
	case k.request.isExact() && k.request.after != "":
		r.skip("membership", "the first page is missing")
	case k.changed != "":
		r.skip("membership", "interviews were written meanwhile: the total went %s", k.changed)
	case k.basis != nil:
		k.compareIDs(r)
	case k.total != nil && k.request.isExact() && k.request.Whole():
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
	return slices.DeleteFunc(slices.Clone(a), func(one string) bool {
		_, found := slices.BinarySearch(b, one)
		return found
	})
}

func example(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return " (such as " + ids[0] + ")"
}
