package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"

	"github.com/clientintel/clientintel/internal/access"
)

// list is what can be walked.
type list struct {
	name  string
	scope access.Scope
	path  string // with a query of its own, or none
}

func lists() []list {
	return []list{
		{"interviews", access.ReadInterviewsMetadata, "/interviews"},
		{"campaigns", access.ReadCampaigns, "/campaigns"},
		{"synthesis", access.ReadSynthesis, "/synthesis"},
		{"portal_daily_feed", access.ReadCustomerIdentity, "/synthesis?surface=portal&type=daily_feed"},
	}
}

// Pages of the largest size are walked to the end, but not of a list without
// end; smaller ones as far as shows how they begin.
const (
	largest      = 200
	maxReference = 10
	maxPages     = 4
)

// walked is a walk's rows, and whether it came to the end.
type walked struct {
	rows     []json.RawMessage
	answers  []*answer
	complete bool
	// moved are rows that somebody wrote during the run: they prove nothing.
	moved map[string]bool
}

// askWalks walks every list at several page sizes. All walks must be the same.
func (r *run) askWalks(ctx context.Context, s *subject) {
	for _, l := range lists() {
		var reference *walked
		r.check("walks/"+l.name+"/whole", s, func() error {
			err := s.needs(l.scope)
			if err == nil && l.scope == access.ReadCustomerIdentity {
				err = s.needs(access.ReadSynthesis)
			}
			if err != nil {
				return err
			}
			reference, err = r.walk(ctx, s, l, largest, maxReference)
			if err != nil {
				return err
			}
			return reference.together()
		})
		for _, size := range []int{1, 2, 7, 50} {
			r.check(fmt.Sprintf("walks/%s/page_size_%d", l.name, size), s, func() error {
				if reference == nil || len(reference.rows) < 2 {
					return skipf("there are no rows to walk over")
				}
				w, err := r.walk(ctx, s, l, size, maxPages)
				if err != nil {
					return err
				}
				if err := w.together(); err != nil {
					return err
				}
				if err := w.holdAgainst(reference); err == nil {
					return nil
				}
				// Somebody may have written meanwhile: then the list itself reads otherwise now.
				again, err := r.walk(ctx, s, l, largest, maxReference)
				if err != nil {
					return err
				}
				reference = reference.settled(again)
				return w.holdAgainst(reference)
			})
		}
		if l.name == "interviews" {
			r.check("walks/interviews/reconciles", s, func() error { return r.reconcile(ctx, s, reference) })
		}
	}
}

// walk follows the cursors.
func (r *run) walk(ctx context.Context, s *subject, l list, size, pages int) (*walked, error) {
	base, err := url.Parse(l.path)
	if err != nil {
		return nil, err
	}
	w := &walked{}
	query := base.Query()
	query.Set("limit", strconv.Itoa(size))
	seen := map[string]bool{}
	for range pages {
		a, err := r.wire.get(ctx, s, base.Path+"?"+query.Encode())
		if err != nil {
			return nil, err
		}
		p, err := a.page()
		if err != nil {
			return nil, err
		}
		more := p.Meta.HasMore != nil && *p.Meta.HasMore
		switch {
		case p.Meta.HasMore == nil:
			return nil, fmt.Errorf("%s has no has_more", a)
		case more != (p.Meta.NextCursor != nil):
			return nil, fmt.Errorf("%s says has_more %v, and has a next_cursor: %v", a, more, !more)
		case len(p.Data) > size:
			return nil, fmt.Errorf("%s answers %d rows", a, len(p.Data))
		case more && len(p.Data) < size:
			return nil, fmt.Errorf("%s answers %d rows and says that there are more", a, len(p.Data))
		case len(p.Data) == 0 && len(w.answers) > 0:
			return nil, fmt.Errorf("%s is empty, and the page before said that there are more", a)
		}
		w.answers = append(w.answers, a)
		w.rows = append(w.rows, p.Data...)
		if !more {
			w.complete = true
			return w, nil
		}
		if seen[*p.Meta.NextCursor] {
			return nil, fmt.Errorf("%s gives a cursor a second time: the walk would never end", a)
		}
		seen[*p.Meta.NextCursor] = true
		query.Set("starting_after", *p.Meta.NextCursor)
	}
	return w, nil
}

// together holds the pages to each other: order, and no row twice.
func (w *walked) together() error {
	seen := map[string]bool{}
	for _, row := range w.rows {
		key := keyOf(row)
		if seen[key] {
			return fmt.Errorf("the walk %s… holds %s twice", w.answers[0], idOf(row))
		}
		seen[key] = true
	}
	return recompute(w.answers, "walk")
}

// keyOf tells rows apart. A portal body may carry no id: then it is itself.
func keyOf(row json.RawMessage) string {
	if id := idOf(row); id != "" {
		return id
	}
	return string(frozen(row))
}

// frozen is a row without what was compared with the live figures just now.
func frozen(row json.RawMessage) []byte {
	fields, err := fieldsOf(row)
	if err != nil {
		return row
	}
	delete(fields, "measurement_integrity")
	text, err := json.Marshal(fields) // sorted, and compact
	if err != nil {
		return row
	}
	return text
}

// holdAgainst holds a walk to the list as it was read whole.
func (w *walked) holdAgainst(reference *walked) error {
	known := map[string]json.RawMessage{}
	for _, row := range reference.rows {
		known[keyOf(row)] = row
	}
	at := 0
	for _, row := range w.rows {
		want, there := known[keyOf(row)]
		if reference.moved[keyOf(row)] {
			continue
		}
		if !there {
			if !reference.complete && at >= len(reference.rows) {
				continue // further than the list was read
			}
			return fmt.Errorf("the walk %s… holds %s, which the list read whole does not", w.answers[0], idOf(row))
		}
		if at >= len(reference.rows) || keyOf(reference.rows[at]) != keyOf(row) {
			return fmt.Errorf("the walk %s… has %s in place %d, the list read whole another", w.answers[0], idOf(row), at+1)
		}
		if !same(row, want) {
			return fmt.Errorf("the walk %s… shows %s otherwise than the list read whole", w.answers[0], idOf(row))
		}
		at++
	}
	if w.complete && reference.complete && at < len(reference.rows) {
		return fmt.Errorf("the walk %s… ends after %d of %d rows", w.answers[0], at, len(reference.rows))
	}
	return nil
}

// settled is the list less what changed between two readings of it.
func (w *walked) settled(again *walked) *walked {
	before := map[string]json.RawMessage{}
	for _, row := range w.rows {
		before[keyOf(row)] = row
	}
	now := &walked{complete: w.complete && again.complete, moved: maps.Clone(w.moved)}
	if now.moved == nil {
		now.moved = map[string]bool{}
	}
	for _, row := range again.rows {
		key := keyOf(row)
		if was, there := before[key]; there && same(was, row) {
			now.rows = append(now.rows, row)
			delete(before, key)
		} else {
			now.moved[key] = true
		}
	}
	for key := range before {
		now.moved[key] = true
	}
	return now
}

func same(a, b json.RawMessage) bool { return bytes.Equal(frozen(a), frozen(b)) }

// reconcile holds three ways of counting the visible interviews against each other.
func (r *run) reconcile(ctx context.Context, s *subject, reference *walked) error {
	if reference == nil {
		return skipf("the interviews were not walked")
	}
	if !reference.complete {
		return skipf("there are more than %d interviews", len(reference.rows))
	}
	fault := r.countAll(ctx, s, len(reference.rows))
	if fault == nil {
		return nil
	}
	// Somebody may have written meanwhile.
	again, err := r.walk(ctx, s, lists()[0], largest, maxReference)
	if err != nil {
		return err
	}
	if !again.complete || len(again.rows) == len(reference.rows) {
		return fault
	}
	return r.countAll(ctx, s, len(again.rows))
}

func (r *run) countAll(ctx context.Context, s *subject, walked int) error {
	a, err := r.wire.get(ctx, s, "/analytics/interviews?date_from=0001-01-01&date_to=9999-12-31")
	if err != nil {
		return err
	}
	if err := a.want(http.StatusOK); err != nil {
		return err
	}
	var all struct {
		Data struct {
			Total int `json:"total"`
		} `json:"data"`
		Meta struct {
			Total *int `json:"measurement_total_count"`
		} `json:"meta"`
	}
	if err := json.Unmarshal(a.body, &all); err != nil {
		return fmt.Errorf("%s answers no analytics", a)
	}
	if all.Data.Total != walked {
		return fmt.Errorf("the walk holds %d interviews, analytics of all time count %d", walked, all.Data.Total)
	}
	if all.Meta.Total != nil && *all.Meta.Total != walked {
		return fmt.Errorf("the walk holds %d interviews, measurement_total_count is %d", walked, *all.Meta.Total)
	}
	return nil
}
