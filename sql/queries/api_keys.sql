-- name: IssueKey :one
-- IssueKey stores a new key. The secret itself is never stored.
INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, expires_at)
VALUES (@prefix, @id, @client_id, @name, @secret_hash, @scopes::text[], sqlc.narg(expires_at))
RETURNING created_at;

-- name: FindKey :one
-- FindKey finds a key by its id or its prefix, for the operator.
SELECT k.prefix, k.id, k.client_id, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, coalesce(used.at, '0001-01-01 00:00:00+00')::timestamptz AS last_logged_at
FROM api_keys AS k
LEFT JOIN LATERAL (
    -- The key's own row is an hour behind; the log tells exactly, while it lasts.
    SELECT l.at
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.status IS DISTINCT FROM 401
    ORDER BY l.at DESC, l.seq DESC
    LIMIT 1
) AS used ON true
WHERE k.client_id IS NOT NULL
    AND (k.prefix = @named::text OR k.id::text = lower(@named::text));

-- name: RevokeKey :one
-- RevokeKey ends a key at a moment, now by default; a key that ended earlier stays so.
UPDATE api_keys AS k
SET revoked_at = least(k.revoked_at, clock_timestamp() + @grace::interval)
WHERE k.client_id IS NOT NULL
    AND k.id = @id
RETURNING k.revoked_at;

-- name: ListKeys :many
-- ListKeys lists a client's keys, or all, for the operator, oldest first, with
-- how many requests the limiter's window holds now: what it counts, 401s included.
SELECT k.prefix, k.id, k.client_id, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, coalesce(used.at, '0001-01-01 00:00:00+00')::timestamptz AS last_logged_at, lately.requests
FROM api_keys AS k
LEFT JOIN LATERAL (
    -- The key's own row is an hour behind; the log tells exactly, while it lasts.
    SELECT l.at
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.status IS DISTINCT FROM 401
    ORDER BY l.at DESC, l.seq DESC
    LIMIT 1
) AS used ON true
CROSS JOIN LATERAL (
    SELECT count(*) AS requests
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.at > clock_timestamp() - @time_window::interval
        AND l.at <= clock_timestamp()
) AS lately
WHERE k.client_id IS NOT NULL
    AND (sqlc.narg(client_id)::uuid IS NULL OR k.client_id = sqlc.narg(client_id)::uuid)
ORDER BY k.client_id, k.created_at, k.id;

-- name: FindClient :one
-- FindClient finds a client by its id or its slug, for the operator.
SELECT c.id, c.slug, c.name
FROM clients AS c
WHERE c.slug = @named::text OR c.id::text = lower(@named::text)
ORDER BY (c.id::text = lower(@named::text)) DESC
LIMIT 1;

-- name: GetServerSecret :one
-- GetServerSecret returns a secret that all server processes share.
SELECT s.secret
FROM server_secrets AS s
WHERE s.name = @name;
