package measurement

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
)

// AddBasis adds the basis of a scope with these ids, which it sorts, to the provenance,
// unless the client is legacy or there are more ids than a basis may name.
func (r *Snapshot) AddBasis(scope basis.Scope, ids []uuid.UUID) {
	if r.Provenance.Mode != Canonical || len(ids) > r.maxBasis {
		return
	}
	basis.SortIDs(ids)
	scopeHash, membershipHash := scope.Hash(), basis.MembershipHash(ids)
	r.Provenance.Basis = &Basis{
		PreviewID: basis.PreviewID(scope.ClientID, scopeHash, membershipHash, basis.Timestamp(r.AsOf)),
		ScopeHash: scopeHash, MembershipHash: membershipHash, SourceCount: len(ids), SourceIDs: listJSON(ids),
	}
}

// BasisLimit is how many ids at most AddBasis needs: one more than a basis may name, and
// none for a legacy client.
func (r *Snapshot) BasisLimit() int {
	if r.Provenance.Mode != Canonical {
		return 0
	}
	return r.maxBasis + 1
}

// IDLister returns at most max of the ids in a scope, in any order.
type IDLister func(ctx context.Context, max int32) ([]uuid.UUID, error)

// AddListBasis is AddBasis for a list, whose ids it reads if the basis may name them.
func (r *Snapshot) AddListBasis(ctx context.Context, scope basis.Scope, list IDLister) error {
	if r.Provenance.Mode != Canonical || scope.Whole() && r.Provenance.Total > int64(r.maxBasis) {
		return nil
	}
	ids, err := list(ctx, int32(r.BasisLimit()))
	if err != nil {
		return fmt.Errorf("reading the basis: %w", err)
	}
	// The whole list has as many interviews as the total counts.
	if scope.Whole() && int64(len(ids)) != r.Provenance.Total {
		return unproven("%d interviews are listed and %d are counted", len(ids), r.Provenance.Total)
	}
	r.AddBasis(scope, ids)
	return nil
}

// listJSON is the JSON array of ids.
func listJSON(ids []uuid.UUID) []byte {
	const quoted = len(`"00000000-0000-0000-0000-000000000000",`)
	b := append(make([]byte, 0, 2+quoted*len(ids)), '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(basis.AppendUUID(append(b, '"'), id), '"')
	}
	return append(b, ']')
}

// ContractVersion is the only version of canonical measurement that this server serves.
const ContractVersion = "canonical_measurement.v1"

// CountBasis says what measurement_total_count counts.
const CountBasis = "usable_interviews"

// Mode is how a client's numbers are measured.
type Mode string

// The modes of the contract.
const (
	Legacy    Mode = "legacy"
	Canonical Mode = "canonical"
)

// Provenance is what a response states about its numbers. All but Mode and AsOf are set
// for canonical clients only.
type Provenance struct {
	Mode Mode
	AsOf time.Time
	// Total counts the client's usable interviews, whatever the request's filters.
	Total int64
	// Basis names the interviews that the response is made from; nil where it is left out.
	Basis *Basis
}

// Basis is a membership anyone can recompute.
type Basis struct {
	PreviewID      uuid.UUID
	ScopeHash      string
	MembershipHash string
	// SourceCount is how many ids there are.
	SourceCount int
	// SourceIDs is the JSON array of the ids, ascending.
	SourceIDs json.RawMessage
}
