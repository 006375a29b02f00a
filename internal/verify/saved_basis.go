package verify

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// integrity is a portal body's MeasurementIntegrity.
type integrity struct {
	Status    string       `json:"status"`
	Basis     *statedBasis `json:"measurement_basis"`
	Freshness *freshness   `json:"freshness"`
}

type freshness struct {
	Status       string `json:"status"`
	Reason       string `json:"reason"`
	SavedAsOf    string `json:"saved_as_of"`
	LiveAsOf     string `json:"live_as_of"`
	SavedVersion string `json:"saved_contract_version"`
	LiveVersion  string `json:"live_contract_version"`
}

// checkSavedBases recomputes the saved basis of each portal body.
func (res *Response) checkSavedBases(r *Report) {
	for i, body := range res.Rows {
		name := fmt.Sprintf("data[%d].", i)
		var in integrity
		raw, present := body["measurement_integrity"]
		if err := json.Unmarshal(raw, &in); !present || err != nil {
			r.check(name+"measurement_integrity", !present && res.Meta.Mode == "legacy", "a canonical client's body lacks it, or it is malformed")
			continue
		}
		verified := in.Status == "verified_saved_basis" && in.Basis != nil && in.Freshness != nil
		unverifiable := in.Status == "historical_unverifiable" && in.Basis == nil && in.Freshness == nil
		r.check(name+"measurement_integrity", verified || unverifiable, "status %q, with a basis: %v, with freshness: %v",
			in.Status, in.Basis != nil, in.Freshness != nil)
		if verified {
			checkMembership(r, name, in.Basis)
			res.checkFreshness(r, name, in)
		}
	}
}

// checkFreshness checks what is compared, and that the result goes with the versions.
func (res *Response) checkFreshness(r *Report, name string, in integrity) {
	f, m := in.Freshness, res.Meta
	times := f.SavedAsOf == in.Basis.AsOf && (m.AsOf == "" || f.LiveAsOf == m.AsOf)
	versions := f.SavedVersion == in.Basis.Version && f.LiveVersion == cmp.Or(m.Version, "legacy")
	changed := f.SavedVersion != f.LiveVersion
	result := changed == (f.Reason == "contract_changed") && (f.Status == "comparable") == (f.Reason == "")
	r.check(name+"freshness", times && versions && result, "%+v; the saved basis has %s (%s), the response %s (%s)",
		*f, in.Basis.AsOf, in.Basis.Version, m.AsOf, m.Version)
}
