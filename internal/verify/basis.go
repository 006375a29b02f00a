package verify

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
)

// statedBasis is a MeasurementQueryBasis or a SavedMeasurementBasis of the contract.
type statedBasis struct {
	PreviewID      string   `json:"preview_id"`
	AsOf           string   `json:"as_of"`
	Version        string   `json:"measurement_contract_version"`
	ScopeHash      string   `json:"scope_hash"`
	MembershipHash string   `json:"membership_hash"`
	IDs            []string `json:"source_interview_ids"`
	Count          int      `json:"source_count"`
}

// checkMeasurement checks that the measurement fields belong together.
func (res *Response) checkMeasurement(r *Report) {
	m := res.Meta
	var present int
	for _, there := range []bool{m.Total != nil, m.AsOf != "", m.Version != "", m.CountBasis != "", m.Omitted != nil} {
		if there {
			present++
		}
	}
	switch m.Mode {
	case "legacy":
		r.check("measurement", present == 0 && m.Basis == nil, "a legacy response has measurement fields")
	case "canonical":
		omitted := slices.Contains(m.Omitted, "measurement_basis")
		r.check("measurement", present == 5 && omitted == (m.Basis == nil),
			"of a canonical response's measurement fields %d are missing; the basis is present: %v, and named as omitted: %v",
			5-present, m.Basis != nil, omitted)
	default:
		r.check("measurement", false, "measurement_mode is %q", m.Mode)
	}
}

// checkBasis recomputes the response's basis.
func (res *Response) checkBasis(r *Report) {
	m, stated := res.Meta, res.Meta.Basis
	checkMembership(r, "", stated)
	r.check("basis_moment", stated.AsOf == m.AsOf && stated.Version == m.Version && sixDigits.MatchString(stated.AsOf),
		"the basis has %s (%s), the response %s (%s)", stated.AsOf, stated.Version, m.AsOf, m.Version)
	client, err := uuid.Parse(m.ClientID)
	r.check("preview_id", err == nil && stated.PreviewID == basis.PreviewID(client, stated.ScopeHash, stated.MembershipHash, stated.AsOf).String(),
		"%s is stated for client %s", stated.PreviewID, m.ClientID)
	res.checkRowsInBasis(r)
	res.checkScope(r)
	res.checkTotal(r)
}

// checkMembership recomputes what depends on the ids alone; name is a prefix for
// saved bases.
func checkMembership(r *Report, name string, stated *statedBasis) {
	ids := slices.Compact(slices.Sorted(slices.Values(stated.IDs)))
	r.check(name+"source_interview_ids", slices.Equal(ids, stated.IDs), "the ids do not ascend")
	r.equal(name+"source_count", stated.Count, len(stated.IDs))
	r.equal(name+"membership_hash", stated.MembershipHash, basis.SHA256([]byte(strings.Join(stated.IDs, "\n"))))
}

// checkRowsInBasis checks that the rows are in the basis: all of it unless there is more.
func (res *Response) checkRowsInBasis(r *Report) {
	ids := res.Meta.Basis.IDs
	for _, row := range res.Rows {
		if id := row.Text("id"); !slices.Contains(ids, id) {
			r.check("rows_in_basis", false, "%s is returned and not in source_interview_ids", id)
			return
		}
	}
	more := res.Meta.HasMore != nil && *res.Meta.HasMore
	r.check("rows_in_basis", more == (res.size() < len(ids)) && res.size() <= len(ids),
		"%d rows are returned of %d ids, and has_more is %v", res.size(), len(ids), more)
}

// checkScope recomputes the scope's hash. When the request is not known, the scope
// that the response itself suggests is the request's if it has the stated hash.
func (res *Response) checkScope(r *Report) {
	scope := basis.Scope{Route: res.kind.route}
	switch {
	case res.request != nil:
		scope = res.request.Scope
	case res.kind == interview:
		scope.Filters = map[string]string{"id": res.Rows[0].Text("id")}
	case res.kind == search:
		scope.Filters = map[string]string{"q": *res.Meta.Query, "limit": "50"}
	}
	stated, computed := res.Meta.Basis.ScopeHash, hashFor(res.Meta.ClientID, scope)
	if res.request == nil && stated != computed {
		r.skip("scope_hash", `the request is not known: pass --url, or {"request": …, "response": …}`)
		return
	}
	r.check("scope_hash", stated == computed, "%s is stated, %s is computed for %s with the filters %v", stated, computed, scope.Route, scope.Filters)
	if res.request == nil {
		res.request = &Request{Scope: scope}
	}
}

// checkTotal compares the basis with measurement_total_count. It runs after
// checkScope, which may have found the request.
func (res *Response) checkTotal(r *Report) {
	const name = "measurement_total_count"
	total, listed := res.Meta.Total, len(res.Meta.Basis.IDs)
	switch {
	case total == nil: // checkMeasurement says so
	case listed > *total:
		r.check(name, false, "%d interviews are listed of a total of %d", listed, *total)
	case res.request != nil && res.request.Whole():
		r.equal(name, *total, listed)
	default:
		r.skip(name, "%d of %d interviews are listed: only without filters they are all", listed, *total)
	}
}
