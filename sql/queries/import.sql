-- name: DeleteClients :execrows
-- DeleteClients deletes clients that have no record left, and counts them.
DELETE FROM clients AS c
WHERE c.id = ANY (@client_ids::uuid[]);

-- name: DeleteMeasurementChanges :exec
-- DeleteMeasurementChanges deletes changes of deleted clients: left behind, they
-- would be added to a client that comes back.
DELETE FROM measurement_changes AS m
WHERE m.client_id = ANY (@client_ids::uuid[]);

-- name: ReadSyncHealth :one
-- ReadSyncHealth reads when the client that waits longest was last synced, year 1 if none
-- was, and how many clients are late.
SELECT
    coalesce(h.oldest_success, '0001-01-01 00:00:00+00')::timestamptz AS oldest_success,
    h.late_clients::bigint AS late_clients
FROM read_sync_health() AS h;

-- name: ListLastImports :many
-- ListLastImports lists the last sync of every client that was ever synced, and when one
-- last succeeded.
SELECT
    coalesce(c.slug, '')::text AS slug,
    l.client_id::uuid AS client_id,
    l.started_at,
    l.source,
    l.account,
    l.kinds,
    l.error,
    s.finished_at AS last_success
FROM (
    SELECT DISTINCT ON (i.client_id) i.*
    FROM imports AS i
    WHERE i.command = 'sync'
        AND i.client_id IS NOT NULL
    ORDER BY i.client_id, i.id DESC
) AS l
LEFT JOIN (
    SELECT DISTINCT ON (i.client_id) i.client_id, i.finished_at
    FROM imports AS i
    WHERE i.command = 'sync'
        AND i.finished_at IS NOT NULL
    ORDER BY i.client_id, i.id DESC
) AS s ON s.client_id = l.client_id
LEFT JOIN clients AS c ON c.id = l.client_id
ORDER BY c.slug, l.client_id;

-- name: PurgeImports :exec
-- PurgeImports removes what is noted of a client's imports.
DELETE FROM imports AS i
WHERE i.client_id = @client_id;
