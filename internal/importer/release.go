package importer

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Release frees the id of a record that a client has no more, so that another client may
// import it. An interview that was erased stays the client's.
func Release(ctx context.Context, conn *pgx.Conn, client uuid.UUID, kindName string, id uuid.UUID, waiting func(string)) error {
	k := kindNamed(kindName)
	if k == nil || k == clientKind || k.table == "" || k.ofKeys() {
		return fmt.Errorf("%q is not one of %s", kindName, list(ReplaceableKinds(), "and"))
	}
	return alone(ctx, conn, "released", "clients release", client, waiting, func(tx pgx.Tx, _ *db.Queries) error {
		var isThere, isErased bool
		err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT EXISTS (SELECT FROM %s AS t WHERE t.client_id = $1 AND t.id = $2),
			$3 = 'interview' AND EXISTS (SELECT FROM suppressed_interviews AS s WHERE s.client_id = $1 AND s.id = $2)`, k.table), client, id, k.name).Scan(&isThere, &isErased)
		switch {
		case err != nil:
			return fmt.Errorf("looking for the record: %w", err)
		case isThere:
			return fmt.Errorf("the client still has %s %s", k.name, id)
		case isErased:
			return fmt.Errorf("interview %s was erased", id)
		}
		done, err := tx.Exec(ctx, "DELETE FROM record_owners AS o WHERE o.kind = $1 AND o.id = $2 AND o.client_id = $3", k.name, id, client)
		if err == nil && done.RowsAffected() == 0 {
			err = fmt.Errorf("%s %s is not the client's", k.name, id)
		}
		return err
	})
}
