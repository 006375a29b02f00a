package verify

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// row is what decides a row's place, whatever the resource.
type row struct {
	ID            string     `json:"id"`
	ClientID      string     `json:"client_id"`
	CreatedAt     *time.Time `json:"created_at"`
	UpdatedAt     *time.Time `json:"updated_at"`
	LastRefreshed *time.Time `json:"last_refreshed"`
	Type          string     `json:"synthesis_type"`
}

func (b *body) rows() ([]row, error) {
	rows := make([]row, len(b.list))
	for i, raw := range b.list {
		if err := json.Unmarshal(raw, &rows[i]); err != nil {
			return nil, fmt.Errorf("data[%d]: %w", i, unreadable(err))
		}
	}
	return rows, nil
}

// before tells whether a stands before b in the resource's order.
func (k kind) before(a, b row) bool {
	keys := [][2]*time.Time{{a.CreatedAt, b.CreatedAt}}
	if k == synthesisRows {
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

// checkOrder checks that each row stands before the next. The order is strict,
// so a list that keeps it holds no row twice.
func (b *body) checkOrder(r *Report, rows []row) {
	for i := 1; i < len(rows); i++ {
		if !b.kind.before(rows[i-1], rows[i]) {
			r.hold("order", false, "row %s does not come before %s", rows[i-1].ID, rows[i].ID)
			return
		}
	}
	r.hold("order", true, "")
}

func (b *body) checkClients(r *Report, rows []row) {
	i := slices.IndexFunc(rows, func(one row) bool { return one.ClientID != b.meta.ClientID })
	if i >= 0 {
		r.hold("client_id", false, "row %s is of client %s", rows[i].ID, rows[i].ClientID)
		return
	}
	r.hold("client_id", true, "")
}

func (b *body) checkInterviews(r *Report) ([]row, error) {
	rows, err := b.rows()
	if err != nil {
		return nil, err
	}
	b.checkMeta(r, len(rows))
	b.checkClients(r, rows)
	b.checkOrder(r, rows)
	ids := b.checkBasis(r, &request{route: interviewsRoute})
	if b.meta.Basis != nil {
		b.checkAmong(r, rows, ids, b.meta.HasMore != nil && *b.meta.HasMore)
	}
	return rows, nil
}

// checkAmong checks that the rows are of the basis: all of it unless there is more.
func (b *body) checkAmong(r *Report, rows []row, ids []string, more bool) {
	known := make(map[string]bool, len(ids))
	for _, id := range ids {
		known[id] = true
	}
	for _, one := range rows {
		if !known[one.ID] {
			r.hold("rows_in_basis", false, "%s is returned and not in source_interview_ids", one.ID)
			return
		}
	}
	switch {
	case !more:
		r.hold("rows_in_basis", len(rows) == len(ids), "%d rows are returned of %d ids, and no more are to come", len(rows), len(ids))
	default:
		r.hold("rows_in_basis", len(rows) < len(ids), "%d rows are returned of %d ids, and more are to come", len(rows), len(ids))
	}
}

func (b *body) checkCampaigns(r *Report) ([]row, error) {
	rows, err := b.rows()
	if err != nil {
		return nil, err
	}
	b.checkMeta(r, len(rows))
	b.checkClients(r, rows)
	b.checkOrder(r, rows)
	return rows, nil
}

func (b *body) checkSynthesisRows(r *Report) ([]row, error) {
	rows, err := b.checkCampaigns(r)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(rows, func(one row) bool { return !slices.Contains(b.meta.Types, one.Type) })
	if i >= 0 {
		r.hold("types", false, "row %s is of type %s", rows[i].ID, rows[i].Type)
	} else {
		r.hold("types", true, "")
	}
	return rows, nil
}

// checkDetail needs no request: the interview itself is the scope.
func (b *body) checkDetail(r *Report) error {
	var data struct {
		Interview row `json:"interview"`
	}
	if err := json.Unmarshal(b.data, &data); err != nil {
		return fmt.Errorf("data: %w", unreadable(err))
	}
	b.checkMeta(r, 1)
	b.checkClients(r, []row{data.Interview})
	ids := b.checkBasis(r, &request{route: detailRoute, filters: map[string]string{"id": data.Interview.ID}})
	if b.meta.Basis != nil {
		r.hold("rows_in_basis", slices.Equal(ids, []string{data.Interview.ID}), "the basis is not the interview %s alone", data.Interview.ID)
	}
	return nil
}

// checkSearch: the basis of a search is its hits.
func (b *body) checkSearch(r *Report) error {
	rows, err := b.rows()
	if err != nil {
		return err
	}
	b.checkMeta(r, len(rows))
	b.checkOrder(r, rows)
	ids := b.checkBasis(r, &request{route: searchRoute, filters: map[string]string{"q": *b.meta.Query, "limit": "50"}})
	if b.meta.Basis != nil {
		b.checkAmong(r, rows, ids, false)
	}
	return nil
}
