package search

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// keepOutside is how many documents of a large client stay outside the index
	// of trigrams. A search reads them all, in some 4 ms.
	keepOutside = 5_000
	// indexAtOnce takes less than half a second.
	indexAtOnce = 2_000
	// indexEvery is how often it is seen to.
	indexEvery = time.Minute
	// restShare is how much longer the work rests than it works: pages matter more.
	restShare = 3
)

// RowQuerier is a connection or a pool.
type RowQuerier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// KeepIndexed puts new documents of large clients into the index of trigrams
// until ctx is done. Writers do not, as it costs ten times what the rest of
// their work costs; and an answer never depends on it, only how long it takes.
// Any number of servers may do this: they take turns.
func KeepIndexed(ctx context.Context, db RowQuerier, limits Limits, log *slog.Logger) {
	for {
		rest := indexEvery
		began := time.Now()
		indexed, err := Index(ctx, db, limits.Newest, keepOutside, indexAtOnce)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !postgres.OutOfReach(err): // what that is, requests tell
			log.Warn("indexing documents for searches", "error", err.Error())
		case indexed > 0:
			rest = restShare * time.Since(began)
		}
		select {
		case <-time.After(rest):
		case <-ctx.Done():
			return
		}
	}
}

// Index puts up to atOnce documents into the index of trigrams, of clients with
// more than wholeReads, and leaves the newest keep outside. It returns how many.
func Index(ctx context.Context, db RowQuerier, wholeReads, keep int64, atOnce int32) (int, error) {
	var indexed int
	err := db.QueryRow(ctx, "SELECT public.index_search_documents($1, $2, $3)", wholeReads, keep, atOnce).Scan(&indexed)
	return indexed, err
}
