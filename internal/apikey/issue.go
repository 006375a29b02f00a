package apikey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
)

// MaxInForce is how many keys a client may have in force.
const MaxInForce = 500

// Request describes the key to issue.
type Request struct {
	Client    string // id or slug
	Name      string
	Scopes    []auth.Scope // empty means the default ones
	ExpiresAt *time.Time
}

// Issue makes a key for a client.
func (r *Registry) Issue(ctx context.Context, req Request, by By) (Issued, error) {
	client, err := r.client(ctx, req.Client)
	if err != nil {
		return Issued{}, err
	}
	scopes := req.Scopes
	if len(scopes) == 0 {
		scopes = auth.Default()
	}
	var issued Issued
	err = r.inTx(ctx, func(q *db.Queries) error {
		issued, err = issue(ctx, q, client, req.Name, auth.Names(scopes), req.ExpiresAt, uuid.Nil, by)
		if err != nil {
			return err
		}
		return audit(ctx, q, by, "issue", issued.ClientID, issued.ID, fmt.Sprintf("%q, scopes %s", issued.Name, strings.Join(issued.Scopes, ",")))
	})
	return issued, err
}

// Rotation describes how a key is replaced.
type Rotation struct {
	// Grace is how long the old key goes on working.
	Grace time.Duration
	// Scopes are the new key's; empty: the old one's. An issued key's never change.
	Scopes []auth.Scope
}

// Rotate issues a new key of the same name, shows it, and ends the old one. If it cannot be
// shown, the old one stays in force and the new one is revoked. Whatever fails on the way,
// the old key works, or the new one was shown.
func (r *Registry) Rotate(ctx context.Context, named Named, with Rotation, by By, show func(Issued) error) (Issued, error) {
	old, err := r.Find(ctx, named)
	if err != nil {
		return Issued{}, err
	}
	if err := checkRepeat(ctx, r.queries(), old.ClientID, by); err != nil {
		return Issued{}, err
	}
	if err := checkRotatable(old); err != nil {
		return Issued{}, err
	}
	client, err := r.client(ctx, old.ClientID.String())
	if err != nil {
		return Issued{}, err
	}
	scopes := auth.Names(with.Scopes)
	if len(scopes) == 0 {
		scopes = old.Scopes
	}
	replaced := old.ID
	if with.Grace > 0 {
		replaced = uuid.Nil // both are in force for that time
	}
	var issued Issued
	err = r.inTx(ctx, func(q *db.Queries) error {
		if issued, err = issue(ctx, q, client, old.Name, scopes, old.ExpiresAt, replaced, by); err != nil {
			return err
		}
		return audit(ctx, q, by, "rotate", old.ClientID, old.ID, fmt.Sprintf("to %s, scopes %s, grace %s",
			issued.Prefix, strings.Join(issued.Scopes, ","), with.Grace))
	})
	if err != nil {
		return Issued{}, fmt.Errorf("rotating the key: %w", err)
	}
	if err := show(issued); err != nil {
		return Issued{}, r.TakeBack(ctx, issued, by, fmt.Errorf("key %s stays in force, as its replacement could not be shown: %w", old.Prefix, err))
	}
	_, err = r.queries().ReplaceKey(ctx, db.ReplaceKeyParams{ID: old.ID, Grace: with.Grace})
	if errors.Is(err, pgx.ErrNoRows) {
		return Issued{}, r.TakeBack(ctx, issued, by, refusef("key %s was rotated or revoked meanwhile", old.Prefix))
	}
	if err != nil {
		return Issued{}, fmt.Errorf("key %s was issued and shown; key %[2]s stays in force until 'clientintel keys revoke %[2]s': revoking it: %w", issued.Prefix, old.Prefix, err)
	}
	return issued, nil
}

// TakeBack revokes a key that nobody got, and returns the cause.
func (r *Registry) TakeBack(ctx context.Context, issued Issued, by By, cause error) error {
	by.Reason = cause.Error()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := r.Revoke(ctx, Named{Key: issued.ID.String()}, by); err != nil {
		return fmt.Errorf("%w; the new one stays in force until 'clientintel keys revoke %s': %w", cause, issued.Prefix, err)
	}
	return cause
}

// checkRotatable refuses a key that has ended, or that is being replaced already. The
// new key has the old one's expiry: an expired key's replacement would never work.
func checkRotatable(key Key) error {
	switch key.State {
	case Revoked:
		return refusef("key %s was revoked at %s: issue a new one", key.Prefix, key.RevokedAt.Format(time.RFC3339))
	case Expired:
		return refusef("key %s expired at %s: issue a new one", key.Prefix, key.ExpiresAt.Format(time.RFC3339))
	case Ending:
		return refusef("key %s is already being replaced and ends at %s: rotate its replacement, or issue a new one", key.Prefix, key.RevokedAt.Format(time.RFC3339))
	}
	return nil
}

// issue stores a new key, which may replace another at once.
func issue(
	ctx context.Context, q *db.Queries, client db.FindClientRow, name string, scopes []string, expiresAt *time.Time, replaced uuid.UUID, by By,
) (Issued, error) {
	for _, s := range scopes {
		if client.AllowedScopes != nil && !slices.Contains(client.AllowedScopes, s) {
			return Issued{}, refusef("keys of client %s may not have the scope %s, only %s: choose from those, or import the client with other allowed_scopes",
				client.Slug, s, strings.Join(client.AllowedScopes, ", "))
		}
	}
	// Two that issue at once are counted one after the other.
	if err := q.LockKeysOfClient(ctx, client.ID.String()); err != nil {
		return Issued{}, fmt.Errorf("waiting for another key of the client: %w", err)
	}
	if err := checkRepeat(ctx, q, client.ID, by); err != nil {
		return Issued{}, err
	}
	inForce, err := countInForce(ctx, q, client.ID, replaced)
	if err != nil {
		return Issued{}, err
	}
	if inForce >= MaxInForce {
		return Issued{}, refusef("client %s has %d keys in force, and may have %d: revoke those that are not used", client.Slug, inForce, MaxInForce)
	}
	text, prefix, secretHash := newToken()
	id := uuid.New()
	params := db.IssueKeyParams{
		Prefix: prefix, ID: id, ClientID: &client.ID, Name: name,
		SecretHash: secretHash[:], Scopes: scopes, ExpiresAt: expiresAt, CreatedBy: new(by.actor()),
	}
	if by.Once != "" {
		params.IdempotencyKey = &by.Once
	}
	if _, err := q.IssueKey(ctx, params); err != nil {
		return Issued{}, fmt.Errorf("storing the key: %w", err)
	}
	return Issued{ID: id, Prefix: prefix, Key: text, ClientID: client.ID, Name: name, Scopes: scopes, ExpiresAt: expiresAt}, nil
}

func countInForce(ctx context.Context, q *db.Queries, client, except uuid.UUID) (int64, error) {
	n, err := q.CountKeysInForce(ctx, db.CountKeysInForceParams{ClientID: client, ExceptID: except})
	if err != nil {
		return 0, fmt.Errorf("counting the client's keys: %w", err)
	}
	return n, nil
}

// checkRepeat refuses a change that made a key before.
func checkRepeat(ctx context.Context, q *db.Queries, client uuid.UUID, by By) error {
	if by.Once == "" {
		return nil
	}
	made, err := q.FindRepeat(ctx, db.FindRepeatParams{ClientID: client, IdempotencyKey: by.Once})
	switch {
	case err == nil:
		return AlreadyDoneError{made}
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	}
	return fmt.Errorf("looking for an earlier change of this name: %w", err)
}
