-- name: FindForeignRecordID :one
-- FindForeignRecordID finds the first id that belongs to another client than the one
-- given: its position, from 1, and its owner.
SELECT r.position::bigint AS position, o.client_id
FROM (
    SELECT unnest(@client_ids::uuid[]) AS client_id, unnest(@ids::uuid[]) AS id, generate_subscripts(@ids::uuid[], 1) AS position
) AS r
JOIN record_owners AS o ON o.kind = @kind::text AND o.id = r.id
WHERE o.client_id <> r.client_id
ORDER BY r.position
LIMIT 1;

-- name: LockCampaigns :many
-- LockCampaigns returns which of a client's campaigns are live, and locks them until the
-- commit: if another transaction ended a campaign whose interviews are written as live,
-- their foreign key would refuse them.
SELECT c.id, c.live
FROM campaigns AS c
WHERE c.client_id = @client_id
    AND c.id = ANY (@ids::uuid[])
ORDER BY c.id
FOR KEY SHARE;

-- name: DeleteMovedInterviews :execrows
-- DeleteMovedInterviews deletes those of a client's interviews that are of another
-- campaign than the one given.
DELETE FROM interviews AS i
USING (
    SELECT unnest(@ids::uuid[]) AS id, unnest(@campaigns::uuid[]) AS campaign_id
) AS r
WHERE i.client_id = @client_id
    AND i.id = r.id
    AND i.campaign_id IS DISTINCT FROM r.campaign_id;

-- name: CorrectCampaignLive :exec
-- CorrectCampaignLive copies a campaign's live to those of its interviews that
-- have another value.
UPDATE interviews AS i
SET campaign_live = c.live
FROM campaigns AS c
WHERE c.client_id = @client_id
    AND c.id = @id
    AND i.client_id = c.client_id
    AND i.campaign_id = c.id
    AND i.campaign_live <> c.live;

-- name: FindUnrevokedKey :one
-- FindUnrevokedKey returns the prefix of a client's oldest key that is not revoked.
SELECT k.prefix
FROM api_keys AS k
WHERE k.client_id = @client_id
    AND (k.revoked_at IS NULL OR k.revoked_at > now())
ORDER BY k.created_at
LIMIT 1;

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

-- name: RecordImport :exec
-- RecordImport records that an import ended.
INSERT INTO imports DEFAULT VALUES;
