package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The budget keeps a result within about 48 KiB, which are about 12 thousand tokens; some
// hosts cut at 25 thousand. What is beside a page takes up to 6 KiB.
const (
	// maxPage is the size of a page's rows, in bytes. The first one may be larger.
	maxPage = 42 << 10
	// maxEntries is how many ids of a basis and rows of analytics are given unasked.
	maxEntries = 100
)

// bound returns the bound that a flag lifts; 0: there is none.
func (a arguments) bound(flag string, bound int) int {
	if a.flags[flag] {
		return 0
	}
	return bound
}

// answer is a response of REST, and the result made of it.
type answer struct {
	Data json.RawMessage `json:"data"`
	Meta json.RawMessage `json:"meta"`

	meta struct {
		Count   int
		HasMore *bool  `json:"has_more"` // nil: it has no pages
		Basis   *basis `json:"measurement_basis"`
	}
}

// basis is what is read of a basis, or of a saved one.
type basis struct {
	Count int `json:"source_count"`
}

func (b *basis) isLong() bool { return b != nil && b.Count > maxEntries }

func readAnswer(body []byte) (*answer, error) {
	var compact bytes.Buffer
	a := new(answer)
	if err := json.Compact(&compact, body); err != nil {
		return nil, fmt.Errorf("reading a response: %w", err)
	}
	if err := json.Unmarshal(compact.Bytes(), a); err != nil {
		return nil, fmt.Errorf("reading a response: %w", err)
	}
	if err := json.Unmarshal(a.Meta, &a.meta); err != nil {
		return nil, fmt.Errorf("reading a response's meta: %w", err)
	}
	return a, nil
}

// rowsThatFit returns with how many of its rows a page is within the budget.
func (a *answer) rowsThatFit() (int, error) {
	if a.meta.HasMore == nil {
		return a.meta.Count, nil
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(a.Data, &rows); err != nil {
		return 0, fmt.Errorf("reading a page's rows: %w", err)
	}
	size := 0
	for i, row := range rows {
		if size += len(row) + len(","); i > 0 && size > maxPage {
			return i, nil
		}
	}
	return len(rows), nil
}

// leaveOut takes out what costs more than it tells, unless the arguments ask for it.
func (a *answer) leaveOut(t tool, given arguments) error {
	if !given.flags["include_basis"] {
		if err := a.leaveOutBases(given.query.Get("surface") == "portal"); err != nil {
			return err
		}
	}
	if t.Operation == "getInterviewAnalytics" && a.meta.Count > maxEntries && !given.flags["include_rows"] {
		return set(&a.Data, nil, "rows")
	}
	return nil
}

// leaveOutBases leaves out a long basis, and those that the portal's bodies were saved
// with; what these prove stays.
func (a *answer) leaveOutBases(portal bool) error {
	if a.meta.Basis.isLong() {
		if err := set(&a.Meta, nil, "measurement_basis"); err != nil {
			return err
		}
		return set(&a.Meta, json.RawMessage(`["measurement_basis"]`), "measurement_omitted_fields")
	}
	if !portal {
		return nil
	}
	var bodies []json.RawMessage
	if err := json.Unmarshal(a.Data, &bodies); err != nil {
		return fmt.Errorf("reading the bodies: %w", err)
	}
	for i := range bodies {
		var body struct {
			Integrity struct {
				Basis *basis `json:"measurement_basis"`
			} `json:"measurement_integrity"`
		}
		if err := json.Unmarshal(bodies[i], &body); err != nil {
			return fmt.Errorf("reading a body: %w", err)
		}
		if body.Integrity.Basis.isLong() {
			if err := set(&bodies[i], nil, "measurement_integrity", "measurement_basis"); err != nil {
				return err
			}
		}
	}
	var err error
	a.Data, err = encode(bodies)
	return err
}

// set sets a member of an object, or of an object in it; nil takes it out.
func set(object *json.RawMessage, value json.RawMessage, path ...string) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(*object, &members); err != nil {
		return fmt.Errorf("reading %s: %w", path[0], err)
	}
	switch {
	case len(path) > 1:
		inner := members[path[0]]
		if err := set(&inner, value, path[1:]...); err != nil {
			return err
		}
		members[path[0]] = inner
	case value == nil:
		delete(members, path[0])
	default:
		members[path[0]] = value
	}
	var err error
	*object, err = encode(members)
	return err
}
