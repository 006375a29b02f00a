package apikey

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// Audit is a change of a key. Login is the database's, Address that of its connection
// (empty: the database's own machine), Account the operating system's. Actor is who asked,
// CallerAddress from where.
type Audit = db.ListKeyAuditsRow

// Audits lists the changes of a client's keys, named by id or slug, or of all keys when
// empty, oldest first.
func (r *Registry) Audits(ctx context.Context, client string) ([]Audit, error) {
	clientID, err := r.clientFilter(ctx, client)
	if err != nil {
		return nil, err
	}
	audits, err := r.queries().ListKeyAudits(ctx, clientID)
	if err != nil {
		return nil, fmt.Errorf("listing the changes of keys: %w", err)
	}
	return audits, nil
}

func audit(ctx context.Context, q *db.Queries, by By, action string, client, key uuid.UUID, detail string) error {
	row := db.AddKeyAuditParams{
		ClientID: client, Action: action, KeyID: key, Account: Account(), Actor: cmp.Or(Redact(by.Actor), Account()), Detail: Redact(detail),
	}
	if by.Address.IsValid() {
		row.CallerAddress = &by.Address
	}
	if by.Reason != "" {
		reason := Redact(by.Reason)
		row.Reason = &reason
	}
	if err := q.AddKeyAudit(ctx, row); err != nil {
		return fmt.Errorf("auditing the change: %w", err)
	}
	return nil
}

// Account names the account that runs this process, and the machine.
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
