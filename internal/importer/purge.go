package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Purged counts what was removed of one thing.
type Purged struct {
	Of      string `json:"of"`
	Removed int64  `json:"removed"`
}

// Purge removes a client with its records, search documents, keys and log, in one
// transaction. The register of ids stays: ids only, so that none of them comes to
// belong to another client.
func Purge(ctx context.Context, conn *pgx.Conn, client uuid.UUID) ([]Purged, error) {
	tx, err := begin(ctx, conn)
	if err != nil {
		return nil, fmt.Errorf("nothing was removed: %w", err)
	}
	defer rollback(conn, tx)
	removed, err := purge(ctx, tx, client)
	if err == nil {
		// The checks of the commit, while they can still be interrupted.
		_, err = tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	}
	if err != nil {
		return nil, fmt.Errorf("nothing was removed: %w", err)
	}
	if err := tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return nil, fmt.Errorf("it is not known whether the client was removed: %w", err)
	}
	return removed, nil
}

func purge(ctx context.Context, tx pgx.Tx, client uuid.UUID) ([]Purged, error) {
	queries := db.New(tx)
	// An import or another purge of the client is waited for.
	if err := lockClients(ctx, tx, []uuid.UUID{client}); err != nil {
		return nil, err
	}
	documents, err := queries.CountSearchDocuments(ctx, client)
	if err != nil {
		return nil, err
	}
	var removed []Purged
	for _, k := range slices.Backward(kinds[1:]) {
		done, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM %s WHERE client_id = $1", k.table), client)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.table, err)
		}
		removed = append(removed, Purged{k.name, done.RowsAffected()})
	}
	removed = append(removed, Purged{"search_document", documents})
	// A request that is admitted now would log a row after those are removed.
	if err := lockKeys(ctx, tx, "SELECT k.id FROM api_keys AS k WHERE k.client_id = $1", client); err != nil {
		return nil, err
	}
	keys, err := queries.PurgeKeys(ctx, client)
	if err != nil {
		return nil, err
	}
	audits, err := queries.PurgeKeyAudits(ctx, client)
	if err != nil {
		return nil, err
	}
	logged, err := queries.PurgeRequestLog(ctx, client)
	if err != nil {
		return nil, err
	}
	used, err := queries.PurgeKeyUsage(ctx, client)
	if err != nil {
		return nil, err
	}
	clients, err := queries.DeleteClients(ctx, []uuid.UUID{client})
	if err != nil {
		return nil, err
	}
	removed = append(removed, Purged{"api_key", int64(len(keys))}, Purged{"key_audit", audits}, Purged{"request_log", logged}, Purged{"key_usage", used}, Purged{"client", clients})
	return removed, queries.DeleteMeasurementChanges(ctx, []uuid.UUID{client})
}
