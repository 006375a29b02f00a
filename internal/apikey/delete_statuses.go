package apikey

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// DeleteStatuses deletes the statuses of requests of keys: those with these numbers or,
// if seqs is nil, all. A row holds the statuses of many keys' requests. The SQL is in Go
// because sqlc cannot parse it.
func DeleteStatuses(ctx context.Context, tx pgx.Tx, keys []uuid.UUID, seqs []int64) error {
	_, err := tx.Exec(ctx, `UPDATE request_statuses AS s
		SET (key_ids, seqs, statuses) = (
			SELECT coalesce(array_agg(u.key_id ORDER BY u.place), '{}'),
				coalesce(array_agg(u.seq ORDER BY u.place), '{}'),
				coalesce(array_agg(u.status ORDER BY u.place), '{}')
			FROM unnest(s.key_ids, s.seqs, s.statuses) WITH ORDINALITY AS u (key_id, seq, status, place)
			WHERE u.key_id <> ALL ($1::uuid[])
				OR u.seq <> ALL ($2::bigint[])
		)
		WHERE s.key_ids && $1::uuid[]
			AND ($2::bigint[] IS NULL OR s.seqs && $2::bigint[])`, keys, seqs)
	if err != nil {
		return fmt.Errorf("deleting statuses: %w", err)
	}
	return nil
}
