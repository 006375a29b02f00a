package verify

import (
	"encoding/json"
	"fmt"
)

// integrity is a portal body's MeasurementIntegrity.
type integrity struct {
	Status    string `json:"status"`
	Basis     *basis `json:"measurement_basis"`
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
func (b *body) checkPortal(r *Report) error {
	b.checkMeta(r, len(b.list))
	for i, raw := range b.list {
		var one struct {
			Integrity *integrity `json:"measurement_integrity"`
		}
		name := fmt.Sprintf("data[%d].", i)
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("data[%d]: %w", i, unreadable(err))
		}
		switch in := one.Integrity; {
		case in == nil:
			r.hold(name+"measurement_integrity", b.meta.Mode == "legacy", "a canonical client's body says nothing of its basis")
		case in.Status == "historical_unverifiable":
			r.hold(name+"measurement_integrity", in.Basis == nil && in.Freshness == nil, "an unverifiable body carries a basis")
			r.skip(name+"membership_hash", "the body says that its basis cannot be verified")
		case in.Status != "verified_saved_basis" || in.Basis == nil || in.Freshness == nil:
			r.hold(name+"measurement_integrity", false, "status %q, with a basis: %v, with freshness: %v", in.Status, in.Basis != nil, in.Freshness != nil)
		default:
			b.checkMembership(r, in.Basis, name)
			b.checkFreshness(r, in, name)
		}
	}
	return nil
}

func (b *body) checkFreshness(r *Report, in *integrity, name string) {
	f := in.Freshness
	live := "legacy"
	if b.meta.Version != nil {
		live = *b.meta.Version
	}
	sameMoments := f.SavedAsOf == in.Basis.AsOf && (b.meta.AsOf == nil || f.LiveAsOf == *b.meta.AsOf)
	sameVersions := f.SavedVersion == in.Basis.Version && f.LiveVersion == live
	r.hold(name+"freshness", sameMoments && sameVersions,
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
	case b.meta.Type == "home":
		// The one surface whose scope the response alone tells.
		scope := &request{route: synthesisRoute, filters: map[string]string{"surface": "portal", "type": "home"}}
		want = "incomparable scope_changed"
		if computed, err := scope.scopeHash(b.meta.ClientID); err == nil && computed == in.Basis.ScopeHash {
			want = "comparable null"
		}
	default:
		r.skip(name+"freshness.status", "whether the surface's scope is still the saved one, a body does not tell")
		return
	}
	r.equal(name+"freshness.status", f.Status+" "+reason, want)
}
