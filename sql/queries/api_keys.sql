-- name: LockKeysOfClient :exec
-- LockKeysOfClient keeps other transactions from adding keys to a client, until this one
-- ends.
SELECT pg_advisory_xact_lock(hashtextextended(@client::text, 601));

-- name: CountKeysInForce :one
-- CountKeysInForce counts a client's keys that have not ended, one aside.
SELECT count(*)
FROM api_keys AS k
WHERE k.client_id = @client_id::uuid
    AND (k.revoked_at IS NULL OR k.revoked_at > now())
    AND (k.expires_at IS NULL OR k.expires_at > now())
    AND k.id <> @except_id::uuid;

-- name: IssueKey :one
-- IssueKey stores a new key. The secret itself is never stored.
INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, expires_at, created_by, idempotency_key)
VALUES (@prefix, @id, @client_id, @name, @secret_hash, @scopes::text[], sqlc.narg(expires_at), @created_by, sqlc.narg(idempotency_key))
RETURNING created_at;

-- name: FindKey :one
-- FindKey finds a key by its id or its prefix, for the operator.
SELECT k.prefix, k.id, k.client_id, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, coalesce(used.at, '0001-01-01 00:00:00+00')::timestamptz AS last_logged_at, clock_timestamp()::timestamptz AS read_at
FROM api_keys AS k
LEFT JOIN LATERAL (
    -- The key's own row is up to an hour behind; the log is exact, as far back as it goes.
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
-- RevokeKey ends a key at a moment; a key that ended earlier stays so.
UPDATE api_keys AS k
SET revoked_at = least(k.revoked_at, clock_timestamp() + @grace::interval)
WHERE k.client_id IS NOT NULL
    AND k.id = @id
RETURNING k.revoked_at;

-- name: ReplaceKey :one
-- ReplaceKey is RevokeKey for a key that nobody has ended or replaced yet.
UPDATE api_keys AS k
SET revoked_at = clock_timestamp() + @grace::interval
WHERE k.client_id IS NOT NULL
    AND k.id = @id
    AND k.revoked_at IS NULL
RETURNING k.revoked_at;

-- name: RevokeKeysOfClient :many
-- RevokeKeysOfClient ends a client's keys that have not ended, now.
UPDATE api_keys AS k
SET revoked_at = clock_timestamp()
WHERE k.client_id = @client_id::uuid
    AND (k.revoked_at IS NULL OR k.revoked_at > clock_timestamp())
RETURNING k.prefix, k.id, k.name, k.revoked_at;

-- name: ListKeys :many
-- ListKeys lists a client's keys, or all, for the operator, oldest first, with
-- how many requests the limiter's window holds: what it counts, 401s included. The
-- window ends at the newest row where that is one of the future, as admit's does.
SELECT k.prefix, k.id, k.client_id, k.name, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at, coalesce(used.at, '0001-01-01 00:00:00+00')::timestamptz AS last_logged_at, lately.requests, ahead.future_requests, coalesce(ahead.until, '0001-01-01 00:00:00+00')::timestamptz AS ahead_until, statement_timestamp()::timestamptz AS read_at
FROM api_keys AS k
LEFT JOIN LATERAL (
    -- The key's own row is up to an hour behind; the log is exact, as far back as it goes.
    SELECT l.at
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.status IS DISTINCT FROM 401
    ORDER BY l.at DESC, l.seq DESC
    LIMIT 1
) AS used ON true
CROSS JOIN LATERAL (
    SELECT max(l.at) AS at
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
) AS newest
CROSS JOIN LATERAL (
    SELECT count(*) AS requests
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.at > greatest(statement_timestamp(), newest.at) - @time_window::interval
) AS lately
CROSS JOIN LATERAL (
    -- Left behind by a clock that was ahead and was set back.
    SELECT count(*) AS future_requests, max(l.at) AS until
    FROM request_log AS l
    WHERE l.client_id = k.client_id
        AND l.key_id = k.id
        AND l.at > statement_timestamp() + interval '1 second'
) AS ahead
WHERE k.client_id IS NOT NULL
    AND (sqlc.narg(client_id)::uuid IS NULL OR k.client_id = sqlc.narg(client_id)::uuid)
    -- Those in force that expire within a time.
    AND (
        sqlc.narg(expiring)::interval IS NULL
        OR (
            k.expires_at > now()
            AND k.expires_at <= now() + sqlc.narg(expiring)::interval
            AND (k.revoked_at IS NULL OR k.revoked_at > now())
        )
    )
ORDER BY k.client_id, k.created_at, k.id;

-- name: DeleteFutureRequests :one
-- DeleteFutureRequests removes a key's log rows that are dated after the present.
SELECT delete_future_requests(@client_id::uuid, @key_id::uuid)::bigint AS removed;

-- name: AddKeyAudit :exec
-- AddKeyAudit records what was done to a key, by whom and why.
INSERT INTO key_audits (client_id, action, key_id, account, actor, caller_address, reason, detail)
VALUES (@client_id, @action, @key_id, @account, @actor, sqlc.narg(caller_address)::inet, sqlc.narg(reason), @detail);

-- name: ListKeyAudits :many
-- ListKeyAudits lists what was done to a client's keys, or to all, oldest first.
SELECT u.at, u.action, u.key_id, coalesce(k.prefix, '')::text AS prefix, u.client_id, u.login, coalesce(host(u.address), '')::text AS address, u.account, u.actor, coalesce(host(u.caller_address), '')::text AS caller_address, coalesce(u.reason, '')::text AS reason, u.detail
FROM key_audits AS u
LEFT JOIN api_keys AS k ON k.client_id = u.client_id AND k.id = u.key_id
WHERE sqlc.narg(client_id)::uuid IS NULL OR u.client_id = sqlc.narg(client_id)::uuid
ORDER BY u.at, u.id;

-- name: FindClient :one
-- FindClient finds a client by its id or its slug, for the operator.
SELECT c.id, c.slug, c.name, c.allowed_scopes
FROM clients AS c
WHERE c.slug = @named::text OR c.id::text = lower(@named::text)
ORDER BY (c.id::text = lower(@named::text)) DESC
LIMIT 1;

-- name: GetServerSecret :one
-- GetServerSecret returns a secret that all server processes share.
SELECT s.secret
FROM server_secrets AS s
WHERE s.name = @name;
