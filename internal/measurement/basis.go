package measurement

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
)

// IDLister returns at most max of the ids in a scope, in any order.
type IDLister func(ctx context.Context, max int32) ([]uuid.UUID, error)

// AddBasis gives the statement the basis of a scope, unless the client is legacy
// or the scope holds more interviews than a basis may name.
func (r *Reading) AddBasis(ctx context.Context, scope Scope, list IDLister) error {
	if r.Statement.Mode != Canonical {
		return nil
	}
	found, err := r.listScope(ctx, list)
	if err != nil {
		return err
	}
	r.setBasis(scope, scope.Hash(), found)
	return nil
}

// BasisRoom is how many ids tell whether a basis may be given, and hold it if
// it may: for a reader that meets them anyway. None for a legacy client.
func (r *Reading) BasisRoom() int {
	if r.Statement.Mode != Canonical {
		return 0
	}
	return r.maxBasis + 1
}

// AddListBasis is AddBasis for a list of interviews by their created_at, status
// and campaign's id: the membership's version decides what such a scope holds,
// so it is read once for each version. A scope that anything else decides (a
// text, a slug, the present moment) must not come here.
func (r *Reading) AddListBasis(ctx context.Context, scope Scope, list IDLister) error {
	if r.Statement.Mode != Canonical {
		return nil
	}
	key := basisKey{client: scope.ClientID, scope: scope.Hash()}
	found, known := r.bases.get(key, r.version)
	if !known {
		var err error
		if found, err = r.readScope(ctx, scope, list); err != nil {
			return err
		}
		r.bases.put(key, r.version, found)
	}
	r.setBasis(scope, key.scope, found)
	return nil
}

// readScope reads a list's scope, and proves that the whole list has as many
// interviews as the total counts.
func (r *Reading) readScope(ctx context.Context, scope Scope, list IDLister) (scopeIDs, error) {
	if scope.whole() && r.Statement.Total > int64(r.maxBasis) {
		return scopeIDs{tooMany: true}, nil
	}
	found, err := r.listScope(ctx, list)
	if err != nil {
		return found, err
	}
	if scope.whole() && (found.tooMany || int64(found.count) != r.Statement.Total) {
		return found, unproven("%d interviews are listed and %d are counted", found.count, r.Statement.Total)
	}
	return found, nil
}

// scopeIDs are the ids in a scope, ascending, as JSON, with their hash.
type scopeIDs struct {
	json    []byte
	count   int
	hash    string
	tooMany bool
}

func (r *Reading) listScope(ctx context.Context, list IDLister) (scopeIDs, error) {
	ids, err := list(ctx, int32(r.maxBasis)+1)
	if err != nil {
		return scopeIDs{}, fmt.Errorf("reading the basis: %w", err)
	}
	if len(ids) > r.maxBasis {
		return scopeIDs{tooMany: true}, nil
	}
	ascending := slices.Clone(ids)
	sortIDs(ascending)
	return scopeIDs{json: listJSON(ascending), count: len(ids), hash: MembershipHash(ascending)}, nil
}

// listJSON is the JSON array of ids.
func listJSON(ids []uuid.UUID) []byte {
	const quoted = len(`"00000000-0000-0000-0000-000000000000",`)
	b := append(make([]byte, 0, 2+quoted*len(ids)), '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = hex.AppendEncode(b, id[:4])
		for _, part := range [][]byte{id[4:6], id[6:8], id[8:10], id[10:]} {
			b = hex.AppendEncode(append(b, '-'), part)
		}
		b = append(b, '"')
	}
	return append(b, ']')
}

func (r *Reading) setBasis(scope Scope, scopeHash string, found scopeIDs) {
	if !found.tooMany {
		r.Statement.Basis = newBasis(scope.ClientID, scopeHash, found, r.AsOf)
	}
}

func newBasis(clientID uuid.UUID, scopeHash string, found scopeIDs, asOf time.Time) *Basis {
	return &Basis{
		PreviewID: PreviewID(clientID, scopeHash, found.hash, asOf),
		ScopeHash: scopeHash, MembershipHash: found.hash, SourceCount: found.count, SourceIDs: found.json,
	}
}
