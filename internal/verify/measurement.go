package verify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/basis"
)

// checkMeta checks what every response has in meta; rows is how many rows, hits
// or interviews it holds.
func (res *Response) checkMeta(r *Report, rows int) {
	m := res.Meta
	r.count("count", "meta.count", m.Count, rows)
	if m.HasMore != nil {
		r.check("cursor", *m.HasMore == (m.NextCursor != nil), "has_more is %v and next_cursor is present: %v", *m.HasMore, m.NextCursor != nil)
	}
	if res.request != nil && res.resource.route != "" {
		r.check("request", res.request.Route == res.resource.route, "the response is of %s, the request was for %s", res.resource.name, res.request.Route)
	}
	res.checkMeasurement(r)
}

// checkMeasurement checks that the measurement fields belong together.
func (res *Response) checkMeasurement(r *Report) {
	m := res.Meta
	var missing, extra []string
	for _, name := range []string{
		"measurement_total_count", "measurement_as_of", "measurement_contract_version", "measurement_count_basis",
		"measurement_omitted_fields", "measurement_basis", // the last may be omitted
	} {
		raw, present := res.present[name]
		present = present && string(raw) != "null"
		switch {
		case m.Mode != "canonical" && present:
			extra = append(extra, name)
		case m.Mode == "canonical" && !present && name != "measurement_basis":
			missing = append(missing, name)
		}
	}
	switch {
	case m.Mode != "canonical" && m.Mode != "legacy":
		r.check("measurement", false, "measurement_mode is %q", m.Mode)
	case len(extra) > 0:
		r.check("measurement", false, "a legacy response carries %s", strings.Join(extra, ", "))
	case len(missing) > 0:
		r.check("measurement", false, "a canonical response lacks %s", strings.Join(missing, ", "))
	case m.Mode == "legacy":
		r.check("measurement", true, "")
	default:
		omitted := slices.Contains(*m.Omitted, "measurement_basis")
		r.check("measurement", omitted == (m.Basis == nil), "the basis is present: %v, and named as omitted: %v", m.Basis != nil, omitted)
	}
}

// checkBasis recomputes the basis, if there is one. guess is the scope that the
// response itself suggests.
func (res *Response) checkBasis(r *Report, guess basis.Scope) {
	m := res.Meta
	if m.Basis == nil {
		if m.Mode == "canonical" {
			r.skip("basis", "the response leaves it out")
		}
		return
	}
	stated := m.Basis
	res.checkMembership(r, stated, "")
	if m.AsOf != nil && m.Version != nil {
		r.check("basis_moment", stated.AsOf == *m.AsOf && stated.Version == *m.Version,
			"the basis is of %s (%s), the response of %s (%s)", stated.AsOf, stated.Version, *m.AsOf, *m.Version)
	}
	_, malformed := time.Parse("2006-01-02T15:04:05.000000Z", stated.AsOf)
	r.check("basis_time", malformed == nil, "as_of is %q, not UTC with six fractional digits", stated.AsOf)
	r.check("basis_schema", stated.Schema == "measurement_query_basis.v1" && stated.Captured != nil && !*stated.Captured,
		"schema is %q, captured is not false: %v", stated.Schema, stated.Captured == nil || *stated.Captured)
	if client, err := parseUUID(m.ClientID); err != nil {
		r.check("preview_id", false, "meta.client_id: %v", err)
	} else {
		r.equal("preview_id", stated.PreviewID, basis.PreviewID(client, stated.ScopeHash, stated.MembershipHash, stated.AsOf).String())
	}
	res.checkScope(r, guess)
	res.checkTotal(r)
}

// checkMembership recomputes what depends on the ids alone; name is a prefix for
// saved bases.
func (res *Response) checkMembership(r *Report, stated *statedBasis, name string) {
	detail := ""
	for i, id := range stated.IDs {
		if _, err := parseUUID(id); err != nil || id != strings.ToLower(id) {
			detail = fmt.Sprintf("%q is no UUID in lower case", id)
			break
		}
		if i > 0 && stated.IDs[i-1] >= id {
			detail = fmt.Sprintf("%s does not come before %s", stated.IDs[i-1], id)
			break
		}
	}
	r.check(name+"source_interview_ids", detail == "", "the ids do not ascend: %s", detail)
	r.count(name+"source_count", "source_count", stated.Count, len(stated.IDs))
	r.equal(name+"membership_hash", stated.MembershipHash, basis.SHA256([]byte(strings.Join(stated.IDs, "\n"))))
}

// checkScope recomputes the scope's hash. When the request is not known, the
// guess is its scope if it has the stated hash.
func (res *Response) checkScope(r *Report, guess basis.Scope) {
	stated := res.Meta.Basis.ScopeHash
	if res.request != nil {
		computed, err := hashFor(res.Meta.ClientID, res.request.Scope)
		if err != nil {
			r.check("scope_hash", false, "meta.client_id: %v", err)
			return
		}
		r.check("scope_hash", stated == computed, "%s is stated, %s is computed for %s", stated, computed, res.request)
		return
	}
	if computed, err := hashFor(res.Meta.ClientID, guess); err == nil && computed == stated {
		res.request = &request{Scope: guess}
		r.check("scope_hash", true, "")
		return
	}
	r.skip("scope_hash", "the request is not known: pass --url, or {\"request\": …, \"response\": …}")
}

// checkTotal compares the basis with measurement_total_count. It runs after
// checkScope, which may have found the request.
func (res *Response) checkTotal(r *Report) {
	m := res.Meta
	if m.Total == nil {
		return
	}
	switch n := len(m.Basis.IDs); {
	case n > *m.Total:
		r.check("measurement_total_count", false, "%d interviews are listed of a total of %d", n, *m.Total)
	case res.request != nil && res.request.Whole():
		r.equal("measurement_total_count", *m.Total, n)
	case res.request == nil:
		r.skip("measurement_total_count", "%d of %d interviews are listed; whether under filters is not known", n, *m.Total)
	default:
		r.skip("measurement_total_count", "%d of %d interviews are in the scope of the request's filters", n, *m.Total)
	}
}
