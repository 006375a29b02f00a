package verify

import (
	"encoding/json"
	"fmt"

	"github.com/clientintel/clientintel/internal/basis"
)

// integrity is a portal body's MeasurementIntegrity.
type integrity struct {
	Status    string       `json:"status"`
	Basis     *statedBasis `json:"measurement_basis"`
	Freshness *struct {
		Status       string  `json:"status"`
		Reason       *string `json:"reason"`
		SavedAsOf    string  `json:"saved_as_of"`
		LiveAsOf     string  `json:"live_as_of"`
		SavedVersion string  `json:"saved_contract_version"`
		LiveVersion  string  `json:"live_contract_version"`
	} `json:"freshness"`
}

// checkPortal recomputes the saved basis of each body.
func (res *Response) checkPortal(r *Report) error {
	res.checkMeta(r, len(res.List))
	for i, raw := range res.List {
		var one struct {
			Integrity *integrity `json:"measurement_integrity"`
		}
		name := fmt.Sprintf("data[%d].", i)
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("data[%d]: %w", i, unreadable(err))
		}
		switch in := one.Integrity; {
		case in == nil:
			r.check(name+"measurement_integrity", res.Meta.Mode == "legacy", "a canonical client's body says nothing of its basis")
		case in.Status == "historical_unverifiable":
			r.check(name+"measurement_integrity", in.Basis == nil && in.Freshness == nil, "an unverifiable body carries a basis")
			r.skip(name+"membership_hash", "the body says that its basis cannot be verified")
		case in.Status != "verified_saved_basis" || in.Basis == nil || in.Freshness == nil:
			r.check(name+"measurement_integrity", false, "status %q, with a basis: %v, with freshness: %v", in.Status, in.Basis != nil, in.Freshness != nil)
		default:
			res.checkMembership(r, in.Basis, name)
			res.checkFreshness(r, in, name)
		}
	}
	return nil
}

func (res *Response) checkFreshness(r *Report, in *integrity, name string) {
	f := in.Freshness
	live := "legacy"
	if res.Meta.Version != nil {
		live = *res.Meta.Version
	}
	sameMoments := f.SavedAsOf == in.Basis.AsOf && (res.Meta.AsOf == nil || f.LiveAsOf == *res.Meta.AsOf)
	sameVersions := f.SavedVersion == in.Basis.Version && f.LiveVersion == live
	r.check(name+"freshness", sameMoments && sameVersions,
		"it compares %s (%s) with %s (%s), the body is of %s (%s) and the response of %s",
		f.SavedAsOf, f.SavedVersion, f.LiveAsOf, f.LiveVersion, in.Basis.AsOf, in.Basis.Version, live)

	reason := "null"
	if f.Reason != nil {
		reason = *f.Reason
	}
	var want string
	switch {
	case f.SavedVersion != f.LiveVersion:
		want = "incomparable contract_changed"
	case res.Meta.Type == "home":
		// Only this type's scope follows from the response.
		scope := basis.Scope{Route: synthesisRoute, Filters: map[string]string{"surface": "portal", "type": "home"}}
		want = "incomparable scope_changed"
		if computed, err := hashFor(res.Meta.ClientID, scope); err == nil && computed == in.Basis.ScopeHash {
			want = "comparable null"
		}
	default:
		r.skip(name+"freshness.status", "whether the surface's scope is still the saved one, a body does not tell")
		return
	}
	r.equal(name+"freshness.status", f.Status+" "+reason, want)
}
