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

// AddKeys stores keys for the baseline server.
func AddKeys(ctx context.Context, conn *pgx.Conn, client uuid.UUID, scopes, keys []string) error {
	_, err := conn.CopyFrom(ctx, pgx.Identifier{"baseline", "api_keys"}, []string{"key_hash", "client_id", "scopes"},
		pgx.CopyFromSlice(len(keys), func(i int) ([]any, error) {
			hash := sha256.Sum256([]byte(keys[i]))
			return []any{hash[:], client, scopes}, nil
		}))
	if err != nil {
		return fmt.Errorf("adding the baseline server's keys: %w", err)
	}
	return nil
}
