package measurement

import (
	"context"
	"fmt"
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
	if scope.whole() && (found.tooMany || int64(len(found.ids)) != r.Statement.Total) {
		return found, unproven("%d interviews are listed and %d are counted", len(found.ids), r.Statement.Total)
	}
	return found, nil
}

// scopeIDs are the ids in a scope, ascending, with their hash.
type scopeIDs struct {
	ids     []uuid.UUID
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
	// A slice of our own, of just this size, and not nil: none is an empty list.
	ascending := append(make([]uuid.UUID, 0, len(ids)), ids...)
	sortIDs(ascending)
	return scopeIDs{ids: ascending, hash: MembershipHash(ascending)}, nil
}

func (r *Reading) setBasis(scope Scope, scopeHash string, found scopeIDs) {
	if !found.tooMany {
		r.Statement.Basis = newBasis(scope.ClientID, scopeHash, found, r.AsOf)
	}
}

func newBasis(clientID uuid.UUID, scopeHash string, found scopeIDs, asOf time.Time) *Basis {
	return &Basis{
		PreviewID: PreviewID(clientID, scopeHash, found.hash, asOf),
		ScopeHash: scopeHash, MembershipHash: found.hash, SourceIDs: found.ids,
	}
}
