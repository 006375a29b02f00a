package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// canonicalFields are what a canonical response always says of its numbers.
var canonicalFields = []string{
	"measurement_total_count", "measurement_as_of", "measurement_contract_version", "measurement_count_basis", "measurement_omitted_fields",
}

// checkMeta recomputes what every response says of itself; rows is how many
// rows, hits or interviews it holds.
func (b *body) checkMeta(r *Report, rows int) {
	m := b.meta
	if m.Count == nil {
		r.hold("count", false, "meta.count is missing")
	} else {
		r.equal("count", *m.Count, rows)
	}
	if m.HasMore != nil {
		r.hold("cursor", *m.HasMore == (m.NextCursor != nil), "has_more is %v and next_cursor is present: %v", *m.HasMore, m.NextCursor != nil)
	}
	if b.request != nil && b.kind.route() != "" {
		r.hold("request", b.request.route == b.kind.route(), "the response is of %s, the request was for %s", b.kind, b.request.route)
	}
	b.checkMeasured(r)
}

// checkMeasured checks that the measurement fields belong together.
func (b *body) checkMeasured(r *Report) {
	m := b.meta
	var missing, extra []string
	for _, name := range append(slices.Clone(canonicalFields), "measurement_basis") {
		raw, present := b.present[name]
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
		r.hold("measurement", false, "measurement_mode is %q", m.Mode)
	case len(extra) > 0:
		r.hold("measurement", false, "a legacy response carries %s", strings.Join(extra, ", "))
	case len(missing) > 0:
		r.hold("measurement", false, "a canonical response lacks %s", strings.Join(missing, ", "))
	case m.Mode == "legacy":
		r.hold("measurement", true, "")
	default:
		omitted := slices.Contains(*m.Omitted, "measurement_basis")
		r.hold("measurement", omitted == (m.Basis == nil), "the basis is present: %v, and named as omitted: %v", m.Basis != nil, omitted)
	}
}

// checkBasis recomputes the basis, if there is one, and returns its ids. The
// scopes that the response itself suggests are tried when the request is not known.
func (b *body) checkBasis(r *Report, guesses ...*request) []string {
	m := b.meta
	if m.Basis == nil {
		if m.Mode == "canonical" {
			r.skip("basis", "the response leaves it out")
		}
		return nil
	}
	basis := m.Basis
	b.checkMembership(r, basis, "")
	if m.AsOf != nil && m.Version != nil {
		r.hold("basis_moment", basis.AsOf == *m.AsOf && basis.Version == *m.Version,
			"the basis is of %s (%s), the response of %s (%s)", basis.AsOf, basis.Version, *m.AsOf, *m.Version)
	}
	r.hold("basis_schema", basis.Schema == "measurement_query_basis.v1" && basis.Captured != nil && !*basis.Captured,
		"schema is %q, captured is not false: %v", basis.Schema, basis.Captured == nil || *basis.Captured)
	if client, err := parseUUID(m.ClientID); err != nil {
		r.hold("preview_id", false, "meta.client_id: %v", err)
	} else {
		name := strings.Join([]string{basis.ScopeHash, basis.MembershipHash, basis.AsOf}, "\n")
		r.equal("preview_id", basis.PreviewID, uuid.NewSHA1(client, []byte(name)).String())
	}
	b.checkScope(r, guesses)
	b.checkTotal(r)
	return basis.IDs
}

// checkMembership recomputes what the ids alone decide; name tells saved bases apart.
func (b *body) checkMembership(r *Report, basis *basis, name string) {
	detail := ""
	for i, id := range basis.IDs {
		if _, err := parseUUID(id); err != nil || id != strings.ToLower(id) {
			detail = fmt.Sprintf("%q is no UUID in lower case", id)
			break
		}
		if i > 0 && basis.IDs[i-1] >= id {
			detail = fmt.Sprintf("%s does not come before %s", basis.IDs[i-1], id)
			break
		}
	}
	r.hold(name+"source_interview_ids", detail == "", "the ids do not ascend: %s", detail)
	if basis.Count == nil {
		r.hold(name+"source_count", false, "source_count is missing")
	} else {
		r.equal(name+"source_count", *basis.Count, len(basis.IDs))
	}
	r.equal(name+"membership_hash", basis.MembershipHash, hexSHA256(strings.Join(basis.IDs, "\n")))
}

// checkScope recomputes the scope's hash. Without the request, a guess whose
// hash is the stated one was the request: nothing else has that hash.
func (b *body) checkScope(r *Report, guesses []*request) {
	stated := b.meta.Basis.ScopeHash
	if b.request != nil {
		computed, err := b.request.scopeHash(b.meta.ClientID)
		if err != nil {
			r.hold("scope_hash", false, "meta.client_id: %v", err)
			return
		}
		r.hold("scope_hash", stated == computed, "%s is stated, %s is computed for %s", stated, computed, b.request)
		return
	}
	for _, guess := range guesses {
		if computed, err := guess.scopeHash(b.meta.ClientID); err == nil && computed == stated {
			b.request = guess
			r.hold("scope_hash", true, "")
			return
		}
	}
	r.skip("scope_hash", "the request is not known: pass --url, or {\"request\": …, \"response\": …}")
}

// checkTotal holds the basis against the corpus-wide count. It comes after
// checkScope, which may have found out the request.
func (b *body) checkTotal(r *Report) {
	m := b.meta
	if m.Total == nil {
		return
	}
	switch n := len(m.Basis.IDs); {
	case n > *m.Total:
		r.hold("measurement_total_count", false, "%d interviews are listed of a total of %d", n, *m.Total)
	case b.request != nil && b.request.whole():
		r.equal("measurement_total_count", *m.Total, n)
	case b.request == nil:
		r.skip("measurement_total_count", "%d of %d interviews are listed; whether under filters is not known", n, *m.Total)
	default:
		r.skip("measurement_total_count", "%d of %d interviews are in the scope of the request's filters", n, *m.Total)
	}
}

func hexSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
