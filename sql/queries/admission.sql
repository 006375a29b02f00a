-- name: AdmitRequests :many
-- AdmitRequests authenticates and counts a group of requests, and returns a row for
-- each, in no order. Where the secret was wrong, the client is zero and has no scopes.
SELECT
    a.ordinal::integer AS ordinal,
    a.verdict::text AS verdict,
    a.key_id::uuid AS key_id,
    coalesce(a.client_id, '00000000-0000-0000-0000-000000000000')::uuid AS client_id,
    coalesce(a.scopes, '{}')::text[] AS scopes,
    a.at::timestamptz AS at,
    a.remaining::integer AS remaining,
    a.reset_at::timestamptz AS reset_at
FROM admit(
    @prefixes::text[], @secret_hashes::bytea[], @routes::text[],
    @max_requests::integer, @time_window::interval, @clock_shift::interval
) AS a;

-- name: AddKeyUsage :exec
-- AddKeyUsage adds up how requests ended, by key, hour and operation: the n-th of each list
-- belong together.
SELECT add_key_usage(@keys::uuid[], @hours::timestamptz[], @routes::text[], @statuses::smallint[], @requests::bigint[]);

-- name: MaintainRequestLog :exec
-- MaintainRequestLog makes the coming partitions of the log and of the usage, and drops those
-- out of retention.
SELECT maintain_request_log();

-- name: ReadHealth :one
-- ReadHealth reads what metrics show of the database, over all clients. Year 1:
-- nothing was imported yet.
SELECT h.search_backlog::bigint AS search_backlog, h.future_requests::bigint AS future_requests, coalesce(h.last_import, '0001-01-01 00:00:00+00')::timestamptz AS last_import, h.expiring_keys::bigint AS expiring_keys
FROM read_health(@scan_limit::bigint, @keep_outside::bigint) AS h;
