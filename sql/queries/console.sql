-- name: ListClientsByID :many
-- ListClientsByID returns one page of the clients, by id, with how many of their keys are in
-- force.
SELECT c.id, c.slug, c.name, c.allowed_scopes, coalesce(k.in_force, 0)::bigint AS keys_in_force
FROM clients AS c
LEFT JOIN (
    SELECT n.client_id, count(*) AS in_force
    FROM api_keys AS n
    WHERE (n.revoked_at IS NULL OR n.revoked_at > now())
        AND (n.expires_at IS NULL OR n.expires_at > now())
    GROUP BY n.client_id
) AS k ON k.client_id = c.id
WHERE c.id > @after_id
ORDER BY c.id
LIMIT @max_rows;

-- name: ListKeysOfClient :many
-- ListKeysOfClient returns one page of a client's keys, newest first, with their use; or one
-- key. The window's count is a difference of numbers, as in admit.
SELECT
    k.prefix,
    k.id,
    k.name,
    k.scopes,
    k.created_at,
    k.created_by,
    k.expires_at,
    k.revoked_at,
    k.last_used_at,
    statement_timestamp()::timestamptz AS read_at,
    coalesce(used.at, '0001-01-01 00:00:00+00')::timestamptz AS last_logged_at,
    coalesce(newest.seq - oldest.seq + 1, 0)::bigint AS requests_last_hour,
    coalesce(month.requests, 0)::bigint AS requests_30_days,
    coalesce(month.limited, 0)::bigint AS limited_30_days
FROM (
    SELECT n.prefix, n.id, n.name, n.scopes, n.created_at, n.created_by, n.expires_at, n.revoked_at, n.last_used_at
    FROM api_keys AS n
    WHERE n.client_id = @client_id::uuid
        AND (sqlc.narg(id)::uuid IS NULL OR n.id = sqlc.narg(id)::uuid)
        AND (n.created_at < @after_created_at OR (n.created_at = @after_created_at AND n.id > @after_id))
        AND (
            sqlc.narg(in_force)::boolean IS NULL
            OR sqlc.narg(in_force)::boolean = (
                (n.revoked_at IS NULL OR n.revoked_at > statement_timestamp())
                AND (n.expires_at IS NULL OR n.expires_at > statement_timestamp())
            )
        )
    ORDER BY n.created_at DESC, n.id
    LIMIT @max_rows
) AS k
LEFT JOIN LATERAL (
    SELECT l.at
    FROM request_log AS l
    WHERE l.client_id = @client_id
        AND l.key_id = k.id
        AND l.status IS DISTINCT FROM 401
    ORDER BY l.at DESC, l.seq DESC
    LIMIT 1
) AS used ON true
LEFT JOIN LATERAL (
    SELECT l.at, l.seq
    FROM request_log AS l
    WHERE l.client_id = @client_id
        AND l.key_id = k.id
        AND l.at > statement_timestamp() - @time_window::interval
    ORDER BY l.at DESC, l.seq DESC
    LIMIT 1
) AS newest ON true
LEFT JOIN LATERAL (
    SELECT l.seq
    FROM request_log AS l
    WHERE l.client_id = @client_id
        AND l.key_id = k.id
        AND l.at > greatest(statement_timestamp(), newest.at) - @time_window::interval
    ORDER BY l.at, l.seq
    LIMIT 1
) AS oldest ON true
LEFT JOIN LATERAL (
    SELECT sum(u.requests) AS requests, sum(u.requests) FILTER (WHERE u.status = 429) AS limited
    FROM usage_sums AS u
    WHERE u.client_id = @client_id
        AND u.key_id = k.id
        AND u.unit = 'day'
        AND u.at > statement_timestamp() - interval '30 days'
) AS month ON true
ORDER BY k.created_at DESC, k.id;

-- name: SumUsage :many
-- SumUsage returns the requests of a client's keys by hour or day, key, route and status. The
-- zero id means all keys. A key's hours are not summed, so they are read where they were
-- counted.
SELECT u.at AS begins, u.key_id, u.route, u.status, u.requests
FROM usage_sums AS u
WHERE u.client_id = @client_id
    AND u.key_id = ANY (@key_ids::uuid[])
    AND u.unit = @unit::text
    AND u.at >= @from_at
    AND u.at < @until_at
UNION ALL
SELECT h.hour, h.key_id, h.route, h.status, h.requests
FROM key_usage AS h
WHERE h.client_id = @client_id
    AND h.key_id = ANY (@key_ids::uuid[])
    AND @unit::text = 'hour'
    AND h.hour >= @from_at
    AND h.hour < @until_at
ORDER BY begins, key_id, route, status;

-- name: ListAuditsOfClient :many
-- ListAuditsOfClient returns one page of what was done to a client's keys, newest first.
SELECT u.id, u.at, u.action, u.key_id, k.prefix, u.actor, u.reason, coalesce(host(u.caller_address), '')::text AS address, u.detail
FROM key_audits AS u
LEFT JOIN api_keys AS k ON k.client_id = @client_id::uuid AND k.id = u.key_id
WHERE u.client_id = @client_id
    AND u.id < @before_id
ORDER BY u.id DESC
LIMIT @max_rows;

-- name: FindRepeat :one
-- FindRepeat finds the key that a change of this name made within a day.
SELECT k.id
FROM api_keys AS k
WHERE k.client_id = @client_id::uuid
    AND k.idempotency_key = @idempotency_key::text
    AND k.created_at > now() - interval '1 day'
LIMIT 1;

-- name: ReadConsoleSecret :one
-- ReadConsoleSecret returns the secret of the console's cursors.
SELECT read_console_secret()::bytea AS secret;
