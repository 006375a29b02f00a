-- name: DeleteRevokedKeys :exec
-- DeleteRevokedKeys deletes clients' revoked keys. A key issued since the check
-- stays, and with it the client. The time at which each was revoked is kept, the
-- earliest if there are several.
WITH deleted AS (
    DELETE FROM api_keys AS k
    WHERE k.client_id = ANY (@client_ids::uuid[])
        AND k.revoked_at <= now()
    RETURNING k.client_id, k.prefix, k.revoked_at
)

INSERT INTO revoked_keys AS r (client_id, prefix, revoked_at)
SELECT d.client_id, d.prefix, d.revoked_at
FROM deleted AS d
ON CONFLICT (client_id, prefix) DO UPDATE SET revoked_at = least(r.revoked_at, excluded.revoked_at);

-- name: DeleteClients :execrows
-- DeleteClients deletes clients that have no record left, and counts them.
DELETE FROM clients AS c
WHERE c.id = ANY (@client_ids::uuid[]);

-- name: DeleteMeasurementChanges :exec
-- DeleteMeasurementChanges deletes changes of deleted clients: left behind, they
-- would be added to a client that comes back.
DELETE FROM measurement_changes AS m
WHERE m.client_id = ANY (@client_ids::uuid[]);
