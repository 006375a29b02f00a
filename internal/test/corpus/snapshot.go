package corpus

import "github.com/clientintel/clientintel/internal/basis"

// formerContractVersion is the contract of a basis that was saved before the
// present one came into force.
const formerContractVersion = "canonical_measurement.v0"

// portalScope is a portal surface's scope. selector is the row's own `lane`,
// `campaign` or `day`, or empty.
func portalScope(b brand, surfaceType, selector, value string) basis.Scope {
	filters := map[string]string{"surface": "portal", "type": surfaceType}
	if selector != "" {
		filters[selector] = value
	}
	return basis.Scope{ClientID: b.ID, Route: "/synthesis", Filters: filters}
}

// basis is what was saved about the interviews behind a published document.
func (e publication) basis(name, surfaceType, selector, value string) snapshotLine {
	b, ids := e.texts.Brand, e.ids()
	return snapshotLine{
		Kind: "measurement_snapshot", SnapshotID: b.id("snapshot/" + name), ClientID: b.ID, AsOf: stamp(e.asOf),
		ContractVersion: ContractVersion, ScopeHash: portalScope(b, surfaceType, selector, value).Hash(),
		MembershipHash: basis.MembershipHash(ids), SourceInterviewIDs: ids, SourceCount: len(ids),
	}
}
