package search

import (
	"context"
	"fmt"
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
	// indexTimeout frees the connection where the database has frozen.
	indexTimeout = time.Minute
	// indexEvery is how often it is seen to.
	indexEvery = time.Minute
	// restShare is how much longer the work rests than it works: pages matter more.
	restShare = 3
	// askAgain is how soon a turn is asked for that somebody else has.
	askAgain = 100 * time.Millisecond
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
			log.Warn("indexing documents for searches", "error", postgres.Loggable(err))
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
// more than wholeReads, and leaves the newest keep outside. It returns how many:
// none while somebody else is at it.
func Index(ctx context.Context, db RowQuerier, wholeReads, keep int64, atOnce int32) (int, error) {
	indexed, err := index(ctx, db, wholeReads, keep, atOnce)
	if err != nil || indexed == nil {
		return 0, err
	}
	return *indexed, nil
}

// index is nil while somebody else is at it.
func index(ctx context.Context, db RowQuerier, wholeReads, keep int64, atOnce int32) (*int, error) {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	var indexed *int
	err := db.QueryRow(ctx, "SELECT public.index_search_documents($1, $2, $3)", wholeReads, keep, atOnce).Scan(&indexed)
	return indexed, err
}

// Settle does at one stretch what KeepIndexed would come to in its own time: it
// is for after a large import, as the owner, outside any transaction. It may be
// interrupted, and returns how many documents it put into the index.
func Settle(ctx context.Context, conn *pgx.Conn, limits Limits) (int, error) {
	total := 0
	for {
		indexed, err := index(ctx, conn, limits.Newest, keepOutside, indexAtOnce)
		if err != nil {
			return total, fmt.Errorf("indexing documents for searches: %w", err)
		}
		if indexed == nil {
			select {
			case <-time.After(askAgain):
				continue
			case <-ctx.Done():
				return total, ctx.Err()
			}
		}
		if *indexed == 0 {
			break
		}
		total += *indexed
	}
	if total == 0 {
		return 0, nil
	}
	// Each was written anew; what that left behind would be read along.
	if _, err := conn.Exec(ctx, "VACUUM (ANALYZE) search_documents"); err != nil {
		return total, fmt.Errorf("vacuuming search_documents: %w", err)
	}
	return total, nil
}
