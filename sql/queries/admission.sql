-- name: AdmitRequests :many
-- AdmitRequests authenticates and counts a group of requests, and returns a row for
-- each, in no order.
SELECT a.ordinal, a.verdict, a.key_id, a.client_id, a.scopes, a.at, a.seq, a.remaining, a.reset_at
FROM admit(
    @prefixes::text[], @secret_hashes::bytea[], @routes::text[],
    @max_requests::integer, @time_window::interval, @clock_shift::interval
) AS a;

-- name: RecordStatuses :exec
-- RecordStatuses records the statuses that admitted requests ended with: the n-th
-- of each list belong together.
SELECT record_statuses(@clock_shift::interval, @keys::uuid[], @seqs::bigint[], @statuses::smallint[]);

-- name: MaintainRequestLog :exec
-- MaintainRequestLog makes the coming days' partitions and drops those out of retention.
SELECT maintain_request_log();

-- name: ReadHealth :one
-- ReadHealth reads what metrics show of the database, over all clients. Year 1:
-- nothing was imported yet.
SELECT h.search_backlog::bigint AS search_backlog, h.future_requests::bigint AS future_requests, coalesce(h.last_import, '0001-01-01 00:00:00+00')::timestamptz AS last_import
FROM read_health(@scan_limit::bigint, @keep_outside::bigint) AS h;

-- name: ListKeyClients :many
-- ListKeyClients lists the clients of keys by the SHA-256 of their prefix, those of the
-- keys that were used last.
SELECT k.prefix_hash, k.client_id
FROM key_clients AS k
ORDER BY k.last_used_at DESC NULLS LAST
LIMIT @max_rows;
