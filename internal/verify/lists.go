package verify

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/clientintel/clientintel/internal/basis"
)

// row is the fields of a row that are checked, or that lists are sorted by.
type row struct {
	ID            string     `json:"id"`
	ClientID      string     `json:"client_id"`
	CreatedAt     *time.Time `json:"created_at"`
	UpdatedAt     *time.Time `json:"updated_at"`
	LastRefreshed *time.Time `json:"last_refreshed"`
	Type          string     `json:"synthesis_type"`
}

func (res *Response) decodeRows() error {
	res.rows = make([]row, len(res.List))
	for i, raw := range res.List {
		if err := json.Unmarshal(raw, &res.rows[i]); err != nil {
			return fmt.Errorf("data[%d]: %w", i, unreadable(err))
		}
	}
	return nil
}

// before reports whether a comes before b in the resource's order.
func (of *resource) before(a, b row) bool {
	keys := [][2]*time.Time{{a.CreatedAt, b.CreatedAt}}
	if of.route == synthesisRoute {
		keys = [][2]*time.Time{{a.LastRefreshed, b.LastRefreshed}, {a.UpdatedAt, b.UpdatedAt}}
	}
	for _, key := range keys {
		switch x, y := key[0], key[1]; {
		case x == nil && y == nil:
		case x == nil || y == nil:
			return y == nil // nulls last
		case !x.Equal(*y):
			return x.After(*y)
		}
	}
	return a.ID < b.ID
}

// checkRows checks what holds for every list but the search.
func (res *Response) checkRows(r *Report) error {
	if err := res.decodeRows(); err != nil {
		return err
	}
	res.checkMeta(r, len(res.rows))
	res.checkClients(r)
	res.checkOrder(r)
	return nil
}

// checkOrder checks that each row comes before the next. The order is strict,
// so a list in this order holds no row twice.
func (res *Response) checkOrder(r *Report) {
	for i := 1; i < len(res.rows); i++ {
		if before, after := res.rows[i-1], res.rows[i]; !res.resource.before(before, after) {
			r.check("order", false, "row %s does not come before %s", before.ID, after.ID)
			return
		}
	}
	r.check("order", true, "")
}

func (res *Response) checkClients(r *Report) {
	for _, one := range res.rows {
		if one.ClientID != res.Meta.ClientID {
			r.check("client_id", false, "row %s is of client %s", one.ID, one.ClientID)
			return
		}
	}
	r.check("client_id", true, "")
}

func (res *Response) checkInterviews(r *Report) error {
	if err := res.checkRows(r); err != nil {
		return err
	}
	res.checkBasis(r, basis.Scope{Route: interviewsRoute})
	res.checkRowsInBasis(r, res.Meta.HasMore != nil && *res.Meta.HasMore)
	return nil
}

// checkRowsInBasis checks that the rows are of the basis: all of it unless there is more.
func (res *Response) checkRowsInBasis(r *Report, more bool) {
	if res.Meta.Basis == nil {
		return
	}
	ids := res.Meta.Basis.IDs
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for _, one := range res.rows {
		if !known[one.ID] {
			r.check("rows_in_basis", false, "%s is returned and not in source_interview_ids", one.ID)
			return
		}
	}
	if more {
		r.check("rows_in_basis", len(res.rows) < len(ids), "%d rows are returned of %d ids, and more are to come", len(res.rows), len(ids))
	} else {
		r.check("rows_in_basis", len(res.rows) == len(ids), "%d rows are returned of %d ids, and no more are to come", len(res.rows), len(ids))
	}
}

func (res *Response) checkSynthesisRows(r *Report) error {
	if err := res.checkRows(r); err != nil {
		return err
	}
	for _, one := range res.rows {
		if !slices.Contains(res.Meta.Types, one.Type) {
			r.check("types", false, "row %s is of type %s", one.ID, one.Type)
			return nil
		}
	}
	r.check("types", true, "")
	return nil
}

// checkDetail needs no request: the interview itself is the scope.
func (res *Response) checkDetail(r *Report) error {
	var data struct {
		Interview row `json:"interview"`
	}
	if err := json.Unmarshal(res.data, &data); err != nil {
		return fmt.Errorf("data: %w", unreadable(err))
	}
	res.rows = []row{data.Interview}
	res.checkMeta(r, 1)
	res.checkClients(r)
	res.checkBasis(r, basis.Scope{Route: detailRoute, Filters: map[string]string{"id": data.Interview.ID}})
	if stated := res.Meta.Basis; stated != nil {
		r.check("rows_in_basis", slices.Equal(stated.IDs, []string{data.Interview.ID}), "the basis is not the interview %s alone", data.Interview.ID)
	}
	return nil
}

// checkSearch: the basis of a search is its hits.
func (res *Response) checkSearch(r *Report) error {
	if err := res.decodeRows(); err != nil {
		return err
	}
	res.checkMeta(r, len(res.rows))
	res.checkOrder(r)
	res.checkBasis(r, basis.Scope{Route: searchRoute, Filters: map[string]string{"q": *res.Meta.Query, "limit": "50"}})
	res.checkRowsInBasis(r, false)
	return nil
}

func (res *Response) checkEmptyList(r *Report) error {
	res.checkMeta(r, 0)
	return nil
}
