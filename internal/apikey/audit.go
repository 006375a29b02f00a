package apikey

import (
	"context"
	"fmt"
	"os"
	"os/user"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// Audit is something that was done to a key. Login is the database's, Address where it
// came from (empty: the database's own machine), Account the operating system's.
type Audit = db.ListKeyAuditsRow

// Audits lists what was done to the keys of a client, named by id or slug, or of
// all when empty, oldest first.
func (r *Registry) Audits(ctx context.Context, client string) ([]Audit, error) {
	clientID, err := r.clientFilter(ctx, client)
	if err != nil {
		return nil, err
	}
	audits, err := db.New(r.conn).ListKeyAudits(ctx, clientID)
	if err != nil {
		return nil, fmt.Errorf("listing what was done to keys: %w", err)
	}
	return audits, nil
}

func audit(ctx context.Context, q *db.Queries, action string, client, key uuid.UUID, detail string) error {
	if err := q.AddKeyAudit(ctx, db.AddKeyAuditParams{
		ClientID: client, Action: action, KeyID: key, Account: Account(), Detail: detail,
	}); err != nil {
		return fmt.Errorf("noting what was done: %w", err)
	}
	return nil
}

// Account is who runs this process, and on which machine.
func Account() string {
	name := fmt.Sprint(os.Getuid())
	if u, err := user.Current(); err == nil && u.Username != "" {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		return name
	}
	return name + "@" + host
}
