package measurement

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
)

// AddBasis gives the provenance the basis of a scope that holds these ids, which it
// sorts, unless the client is legacy or they are more than a basis may name.
func (r *Snapshot) AddBasis(scope basis.Scope, ids []uuid.UUID) {
	if r.Provenance.Mode == Canonical {
		r.setBasis(scope, scope.Hash(), r.scopeIDs(ids))
	}
}

// BasisLimit is how many ids AddBasis needs to tell whether a basis may be given, and
// to make it if it may. None for a legacy client.
func (r *Snapshot) BasisLimit() int {
	if r.Provenance.Mode != Canonical {
		return 0
	}
	return r.reader.maxBasis + 1
}

// IDLister returns at most max of the ids in a scope, in any order.
type IDLister func(ctx context.Context, max int32) ([]uuid.UUID, error)

// AddListBasis is AddBasis for a list of interviews by their created_at, status
// and campaign's id: the membership's version decides what such a scope holds,
// so its ids are read once for each version. A scope that anything else decides (a
// text, a slug, the present moment) must not come here.
func (r *Snapshot) AddListBasis(ctx context.Context, scope basis.Scope, list IDLister) error {
	known, ok := r.reader.knownBasis(scope, r.state)
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

// KnownBasis is what a list's scope holds in one state of its client.
type KnownBasis struct {
	state     state
	scopeHash string
	scopeIDs
}

// KnownBasis is what a list's scope holds as far as that needs no query, in the
// state that its client was last read in.
func (r *SnapshotReader) KnownBasis(scope basis.Scope) (KnownBasis, bool) {
	last, read := r.states.Load(scope.ClientID)
	if !read {
		return KnownBasis{}, false
	}
	return r.knownBasis(scope, last.(state))
}

func (r *SnapshotReader) knownBasis(scope basis.Scope, in state) (known KnownBasis, ok bool) {
	known = KnownBasis{state: in, scopeIDs: scopeIDs{tooMany: true}}
	if in.mode != Canonical || scope.Whole() && in.members > int64(r.maxBasis) {
		return known, true // it has none
	}
	known.scopeHash = scope.Hash()
	known.scopeIDs, ok = r.bases.get(known.scopeHash, in.version)
	return known, ok
}

// AddKnownBasis is AddListBasis without a query, and reports whether the state is
// still the same.
func (r *Snapshot) AddKnownBasis(scope basis.Scope, known KnownBasis) bool {
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

// ContractVersion is the one version of canonical measurement this server knows.
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

// Provenance is what a response says about its numbers. Beyond Mode, everything
// is set for canonical clients only.
type Provenance struct {
	Mode Mode
	AsOf time.Time
	// Total counts the client's usable interviews, whatever the request's filters.
	Total int64
	// Basis names the interviews behind the response; nil where it is left out.
	Basis *Basis
}

// Basis is a membership anyone can recompute.
type Basis struct {
	PreviewID      uuid.UUID
	ScopeHash      string
	MembershipHash string
	// SourceCount is how many ids there are.
	SourceCount int
	// SourceIDs is the JSON array of the ids, ascending: it is most of an answer,
	// and made once. Responses share it: it must not be changed.
	SourceIDs json.RawMessage
}
