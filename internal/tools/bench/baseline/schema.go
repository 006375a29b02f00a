package baseline

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
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
	_, err := conn.Exec(ctx, schema)
	return err
}

// AddKeys stores keys of a client, each with so many requests in the last hour.
func AddKeys(ctx context.Context, conn *pgx.Conn, client uuid.UUID, scopes []auth.Scope, keys []string, requests int) error {
	_, err := conn.Exec(ctx, `WITH added AS (
			INSERT INTO baseline.api_keys (key_hash, client_id, scopes)
			SELECT sha256(k.key::bytea), $2, $3 FROM unnest($1::text[]) AS k (key)
			RETURNING id
		)
		INSERT INTO baseline.requests (key_id, at, route)
		SELECT a.id, now() - (3000 - 14 * n) * interval '1 second', '/interviews'
		FROM added AS a CROSS JOIN generate_series(1, $4) AS n`, keys, client, scopes, requests)
	return err
}
