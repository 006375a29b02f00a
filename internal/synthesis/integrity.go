package synthesis

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
)

// Integrity states whether the interviews that a body was made from can be proven.
type Integrity struct {
	// Saved is the proven basis; nil if none can be proven.
	Saved *SavedBasis
}

// SavedBasis is the basis that was saved with a body, and how it compares with the present.
type SavedBasis struct {
	SnapshotID      uuid.UUID
	AsOf            time.Time
	ContractVersion string
	ScopeHash       string
	MembershipHash  string
	SourceIDs       []uuid.UUID // ascending

	// Incomparable is why it may not be compared with live figures, empty if it
	// may.
	Incomparable        Reason
	LiveAsOf            time.Time
	LiveContractVersion string
}

// Reason is why a saved basis may not be compared with live figures.
type Reason string

// The reasons of the contract.
const (
	ContractChanged Reason = "contract_changed"
	ScopeChanged    Reason = "scope_changed"
)

// integrityOf is the integrity of a body. A canonical client always has one, a
// legacy client only for a body with a saved basis.
func integrityOf(body db.VisiblePortalDocument, saved *db.ListSavedBasesRow, live measurement.Provenance) *Integrity {
	if saved == nil {
		if live.Mode == measurement.Canonical {
			return &Integrity{}
		}
		return nil
	}
	ids, proven := reproduced(saved)
	if !proven {
		return &Integrity{}
	}
	basis := &SavedBasis{
		SnapshotID: saved.ID, AsOf: saved.AsOf, ContractVersion: saved.MeasurementContractVersion,
		ScopeHash: saved.ScopeHash, MembershipHash: saved.MembershipHash, SourceIDs: ids,
		LiveAsOf: live.AsOf, LiveContractVersion: liveVersion(live),
	}
	switch {
	case basis.ContractVersion != basis.LiveContractVersion:
		basis.Incomparable = ContractChanged
	case basis.ScopeHash != surfaceOf(body, saved).Hash():
		basis.Incomparable = ScopeChanged
	}
	return &Integrity{Saved: basis}
}

// reproduced sorts the saved ids and reports whether they have the saved hash and
// count. A membership is a set: an id saved twice reproduces nothing, even if hash
// and count include both.
func reproduced(saved *db.ListSavedBasesRow) ([]uuid.UUID, bool) {
	ids := slices.Clone(saved.SourceInterviewIds)
	basis.SortIDs(ids)
	twice := len(slices.Compact(ids)) < len(saved.SourceInterviewIds)
	return ids, !twice && int64(len(ids)) == saved.SourceCount && basis.MembershipHash(ids) == saved.MembershipHash
}

// surfaceOf is the scope of the request that returns this body alone now. A lane
// renamed since is another surface.
func surfaceOf(body db.VisiblePortalDocument, saved *db.ListSavedBasesRow) basis.Scope {
	filters := map[string]string{"surface": "portal", "type": body.Type}
	switch {
	case Type(body.Type) == Lane && saved.LaneSlug != nil:
		filters["lane"] = *saved.LaneSlug
	case Type(body.Type) == Campaign && saved.CampaignSlug != nil:
		filters["campaign"] = *saved.CampaignSlug
	case Type(body.Type) == DailyFeed && body.FeedDate != nil:
		filters["day"] = body.FeedDate.Format(time.DateOnly)
	}
	return basis.Scope{ClientID: body.ClientID, Route: "/synthesis", Filters: filters}
}

func liveVersion(live measurement.Provenance) string {
	if live.Mode == measurement.Canonical {
		return measurement.ContractVersion
	}
	return string(measurement.Legacy)
}
