package baseline

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// schema is the server's own tables, made anew each time.
const schema = `
DROP SCHEMA IF EXISTS baseline CASCADE;
CREATE SCHEMA baseline;
CREATE TABLE baseline.api_keys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_hash bytea NOT NULL UNIQUE,
    client_id uuid NOT NULL,
    scopes text[] NOT NULL,
    revoked_at timestamptz,
    expires_at timestamptz
);
CREATE TABLE baseline.requests (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    route text NOT NULL
);
CREATE INDEX requests_of_key ON baseline.requests (key_id, at);`

// Prepare makes the tables.
func Prepare(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, schema); err != nil {
		return fmt.Errorf("making the baseline server's tables: %w", err)
	}
	return nil
}

// AddKeys stores keys of a client for the baseline server, and returns their ids.
func AddKeys(ctx context.Context, conn *pgx.Conn, client uuid.UUID, scopes, keys []string) ([]int64, error) {
	hashes := make([][]byte, len(keys))
	for i, key := range keys {
		hash := sha256.Sum256([]byte(key))
		hashes[i] = hash[:]
	}
	rows, err := conn.Query(ctx, `INSERT INTO baseline.api_keys (key_hash, client_id, scopes)
		SELECT k.hash, $2, $3 FROM unnest($1::bytea[]) AS k (hash)
		RETURNING id`, hashes, client, scopes)
	if err != nil {
		return nil, fmt.Errorf("adding the baseline server's keys: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("adding the baseline server's keys: %w", err)
	}
	return ids, nil
}
