package importer

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apikey"
)

// Purged counts what was removed of one thing.
type Purged struct {
	Of      string `json:"of"`
	Removed int64  `json:"removed"`
}

// Purge removes a client with its records, search documents, keys and log, in one
// transaction. The register of ids stays: ids only, so that none of them comes to
// belong to another client. So do the audits of its keys.
func Purge(ctx context.Context, conn *pgx.Conn, client uuid.UUID, waiting func(string)) (removed []Purged, err error) {
	err = alone(ctx, conn, "removed", "clients purge", client, waiting, func(tx pgx.Tx, queries *db.Queries) error {
		var failed error
		note := func(of string, n int64, err error) {
			failed = cmp.Or(failed, err) // what follows the first error fails too
			removed = append(removed, Purged{of, n})
		}
		documents, err := queries.CountSearchDocuments(ctx, client)
		failed = cmp.Or(failed, err)
		for _, k := range slices.Backward(kinds[1:]) {
			done, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE client_id = $1", k.table), client)
			note(k.name, done.RowsAffected(), err)
		}
		note("search_document", documents, nil)
		keys, err := queries.DeleteKeys(ctx, db.DeleteKeysParams{ClientIds: []uuid.UUID{client}, Account: apikey.Account()})
		note("api_key", keys.Keys, err)
		note("request_log", keys.LogRows, nil)
		note("key_usage", keys.UsageRows, nil)
		failed = cmp.Or(failed, queries.PurgeImports(ctx, &client))
		clients, err := queries.DeleteClients(ctx, []uuid.UUID{client})
		note("client", clients, err)
		return cmp.Or(failed, queries.DeleteMeasurementChanges(ctx, []uuid.UUID{client}))
	})
	return removed, err
}
