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
	if r.Provenance.Mode == Canonical {
		r.setBasis(scope, scope.Hash(), r.scopeIDs(ids))
	}
}

// BasisLimit is how many ids at most AddBasis needs: one more than a basis may name, and
// none for a legacy client.
func (r *Snapshot) BasisLimit() int {
	if r.Provenance.Mode != Canonical {
		return 0
	}
	return r.reader.maxBasis + 1
}

// IDLister returns at most max of the ids in a scope, in any order.
type IDLister func(ctx context.Context, max int32) ([]uuid.UUID, error)

// AddListBasis is AddBasis for a list that is filtered by nothing but created_at, status
// and campaign id. The ids of such a scope depend on the membership's version alone, so
// they are read once for each version. Filters by anything else (a text, a slug, the
// present moment) need AddBasis.
func (r *Snapshot) AddListBasis(ctx context.Context, scope basis.Scope, list IDLister) error {
	known, ok := r.reader.cachedBasis(scope, r.state)
	if !ok {
		ids, err := list(ctx, int32(r.reader.maxBasis)+1)
		if err != nil {
			return fmt.Errorf("reading the basis: %w", err)
		}
		known.scopeIDs = r.scopeIDs(ids)
		// The whole list has as many interviews as the total counts.
		if scope.Whole() && (known.tooMany || int64(known.count) != r.Provenance.Total) {
			return unproven("%d interviews are listed and %d are counted", known.count, r.Provenance.Total)
		}
		r.reader.bases.put(known.scopeHash, r.state.version, known.scopeIDs)
	}
	r.setBasis(scope, known.scopeHash, known.scopeIDs)
	return nil
}

// CachedBasis is the basis of a list's scope in one measurement state of its client.
type CachedBasis struct {
	state     state
	scopeHash string
	scopeIDs
}

// CachedBasis returns it without a query, if the state in which the client was last read
// has it.
func (r *SnapshotReader) CachedBasis(scope basis.Scope) (CachedBasis, bool) {
	last, read := r.states.Load(scope.ClientID)
	if !read {
		return CachedBasis{}, false
	}
	return r.cachedBasis(scope, last.(state))
}

func (r *SnapshotReader) cachedBasis(scope basis.Scope, in state) (known CachedBasis, ok bool) {
	known = CachedBasis{state: in, scopeIDs: scopeIDs{tooMany: true}}
	if in.mode != Canonical || scope.Whole() && in.members > int64(r.maxBasis) {
		return known, true // it has none
	}
	known.scopeHash = scope.Hash()
	known.scopeIDs, ok = r.bases.get(known.scopeHash, in.version)
	return known, ok
}

// AddCachedBasis is AddListBasis without a query. It reports whether the snapshot has the
// state that the basis is of, and adds nothing otherwise.
func (r *Snapshot) AddCachedBasis(scope basis.Scope, known CachedBasis) bool {
	if known.state != r.state {
		return false
	}
	r.setBasis(scope, known.scopeHash, known.scopeIDs)
	return true
}

// scopeIDs are the ids in a scope, ascending, as JSON, with their hash.
type scopeIDs struct {
	json    []byte
	count   int
	hash    string
	tooMany bool
}

func (r *Snapshot) scopeIDs(ids []uuid.UUID) scopeIDs {
	if len(ids) > r.reader.maxBasis {
		return scopeIDs{tooMany: true}
	}
	basis.SortIDs(ids)
	return scopeIDs{json: listJSON(ids), count: len(ids), hash: basis.MembershipHash(ids)}
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

func (r *Snapshot) setBasis(scope basis.Scope, scopeHash string, found scopeIDs) {
	if found.tooMany {
		return
	}
	r.Provenance.Basis = &Basis{
		PreviewID: basis.PreviewID(scope.ClientID, scopeHash, found.hash, basis.Timestamp(r.AsOf)),
		ScopeHash: scopeHash, MembershipHash: found.hash, SourceCount: found.count, SourceIDs: found.json,
	}
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
	// SourceIDs is the JSON array of the ids, ascending. It is most of a response, so it
	// is made once; responses share it, and it must not be changed.
	SourceIDs json.RawMessage
}
