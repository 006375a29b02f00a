package verify

import (
	"cmp"
	"regexp"
	"slices"
)

// size is how many interviews, rows or hits the response has.
func (res *Response) size() int { return len(res.Rows) + len(res.analytics.Rows) }

// isPage reports whether the response is a page of a list with a known order.
func (res *Response) isPage() bool {
	return slices.Contains([]*kind{interviewList, campaignList, synthesisRows}, res.kind)
}

// order is the kind's order of rows: the texts to compare, descending, before the
// ascending ids. Texts of times sort as the times do, and null as the earliest.
func (k *kind) order(a, b Row) int {
	fields := []string{"created_at"}
	if k == synthesisRows {
		fields = []string{"last_refreshed", "updated_at"}
	}
	for _, field := range fields {
		if order := cmp.Compare(b.Text(field), a.Text(field)); order != 0 {
			return order
		}
	}
	return cmp.Compare(a.Text("id"), b.Text("id"))
}

// checkMeta checks what every response has in meta.
func (res *Response) checkMeta(r *Report) {
	m := res.Meta
	if m.Count == nil {
		r.check("count", false, "meta.count is missing")
	} else {
		r.equal("count", *m.Count, res.size())
	}
	switch {
	case m.HasMore != nil:
		r.check("cursor", *m.HasMore == (m.NextCursor != nil),
			"has_more is %v and next_cursor is present: %v", *m.HasMore, m.NextCursor != nil)
	case res.isPage(), res.kind == portalBodies, res.kind == emptyList:
		r.check("cursor", false, "meta.has_more is missing")
	}
	if res.request != nil && res.kind.route != "" {
		same := res.request.Route == res.kind.route && (res.kind != interview || res.request.Filters["id"] == res.Rows[0].Text("id"))
		r.check("request", same, "the request was for %s, the response is for %s, or has another interview", res.request.Route, res.kind.route)
	}
}

var sixDigits = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`)

// checkRows checks each row by itself, and that it comes before the next. The order is
// strict, so a list in this order has no row twice.
func (res *Response) checkRows(r *Report) {
	if len(res.Rows) == 0 {
		return
	}
	times, clients, types, order := "", "", "", ""
	for i, row := range res.Rows {
		id := row.Text("id")
		for _, field := range []string{"created_at", "updated_at", "launched_at", "last_refreshed"} {
			if text := row.Text(field); text != "" && !sixDigits.MatchString(text) {
				times = id + " has the time " + text
			}
		}
		if client := row.Text("client_id"); client != res.Meta.ClientID && res.kind != search { // hits do not name it
			clients = id + " has the client " + client
		}
		if kind := row.Text("synthesis_type"); res.kind == synthesisRows && !slices.Contains(res.Meta.Types, kind) {
			types = id + " has the type " + kind
		}
		if i > 0 && res.kind.order(res.Rows[i-1], row) >= 0 {
			order = id + " does not come after the row before"
		}
	}
	r.check("times", times == "", "%s, which is not UTC with six digits of a second", times)
	r.check("client_id", clients == "", "%s", clients)
	r.check("types", types == "", "%s", types)
	r.check("order", order == "", "%s", order)
}
