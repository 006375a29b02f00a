package search

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// KeepOutside is how many documents of a large client stay outside the trigram
	// index. A search reads them all, in some 4 ms.
	KeepOutside = 5_000
	// indexBatch takes less than half a second.
	indexBatch = 2_000
	// indexTimeout frees the connection if the database hangs.
	indexTimeout = time.Minute
	// indexEvery is the pause when nothing was left to index.
	indexEvery = time.Minute
	// pauseShare is the pause after a batch in multiples of its duration: requests go first.
	pauseShare = 3
	// retryAfter is how soon IndexAll tries again while another call indexes.
	retryAfter = 100 * time.Millisecond
)

// KeepIndexed puts new documents of large clients into the trigram index until ctx is
// done. Writers do not, because it costs ten times as much as the rest of their work. No
// response depends on it, only its duration. Any number of servers may call it: one
// works at a time.
func KeepIndexed(ctx context.Context, pool db.DBTX, limits Limits, log *slog.Logger) {
	for {
		pause := indexEvery
		began := time.Now()
		indexed, err := Index(ctx, pool, limits.Newest, KeepOutside, indexBatch)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !postgres.IsUnavailable(err): // requests log that the database is unavailable
			log.Warn("indexing documents for searches", "error", postgres.Loggable(err))
		case indexed > 0:
			pause = pauseShare * time.Since(began)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// Index puts up to batch documents into the trigram index, of clients with more
// than scanLimit, and leaves the newest keep outside. It returns how many: none
// while another call indexes.
func Index(ctx context.Context, conn db.DBTX, scanLimit, keep int64, batch int32) (int, error) {
	indexed, err := index(ctx, conn, scanLimit, keep, batch)
	if err != nil || indexed == nil {
		return 0, err
	}
	return int(*indexed), nil
}

// index returns nil while another call indexes.
func index(ctx context.Context, conn db.DBTX, scanLimit, keep int64, batch int32) (*int32, error) {
	ctx, cancel := context.WithTimeout(ctx, indexTimeout)
	defer cancel()
	return db.New(conn).IndexSearchDocuments(ctx, db.IndexSearchDocumentsParams{
		ScanLimit: scanLimit, KeepOutside: keep, MaxDocuments: batch,
	})
}

// IndexAll does the work of KeepIndexed without pauses, after a large import, outside any
// transaction. It may be interrupted, and returns how many documents it
// put into the index.
func IndexAll(ctx context.Context, conn *pgx.Conn, limits Limits) (int, error) {
	total := 0
	for {
		indexed, err := index(ctx, conn, limits.Newest, KeepOutside, indexBatch)
		if err != nil {
			return total, fmt.Errorf("indexing documents for searches: %w", err)
		}
		if indexed == nil {
			select {
			case <-time.After(retryAfter):
				continue
			case <-ctx.Done():
				return total, ctx.Err()
			}
		}
		if *indexed == 0 {
			break
		}
		total += int(*indexed)
	}
	if total == 0 {
		return 0, nil
	}
	// Each row was written anew, and searches would read the dead ones too. VACUUM is in Go
	// because sqlc does not parse it.
	if err := postgres.WithLogin(ctx, conn, "VACUUM (ANALYZE) search_documents"); err != nil {
		return total, fmt.Errorf("vacuuming search_documents: %w", err)
	}
	return total, nil
}
