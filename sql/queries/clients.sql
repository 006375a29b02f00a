-- name: ListClients :many
-- ListClients lists every client with what it has, for the operator.
SELECT
    c.id,
    c.slug,
    c.name,
    c.measurement_mode,
    (SELECT count(*) FROM campaigns AS p WHERE p.client_id = c.id) AS campaigns,
    (SELECT count(*) FROM interviews AS i WHERE i.client_id = c.id) AS interviews,
    (SELECT count(*) FROM interviews AS u WHERE u.client_id = c.id AND u.usable) AS usable_interviews,
    (SELECT count(*) FROM synthesis_documents AS s WHERE s.client_id = c.id) AS synthesis_documents,
    (SELECT count(*) FROM portal_documents AS d WHERE d.client_id = c.id) AS portal_documents,
    (
        SELECT count(*)
        FROM api_keys AS k
        WHERE k.client_id = c.id
            AND (k.revoked_at IS NULL OR k.revoked_at > now())
            AND (k.expires_at IS NULL OR k.expires_at > now())
    ) AS keys_in_force
FROM clients AS c
ORDER BY c.slug;

-- name: CountSearchDocuments :one
-- CountSearchDocuments counts a client's search documents, which go with its interviews.
SELECT count(*)
FROM search_documents AS d
WHERE d.client_id = @client_id;

-- name: PurgeKeys :many
-- PurgeKeys deletes all keys of a client and returns their ids.
DELETE FROM api_keys AS k
WHERE k.client_id = @client_id::uuid
RETURNING k.id;

-- name: PurgeRequestLog :execrows
-- PurgeRequestLog deletes what is logged of a client's requests.
DELETE FROM request_log AS l
WHERE l.client_id = @client_id;

-- name: PurgeKeyAudits :execrows
-- PurgeKeyAudits deletes what is noted of the handling of a client's keys.
DELETE FROM key_audits AS a
WHERE a.client_id = @client_id;
