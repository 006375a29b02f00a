-- name: ListClients :many
-- ListClients lists every client with what it has, for the operator.
SELECT
    c.id,
    c.slug,
    c.name,
    c.measurement_mode,
    coalesce(p.campaigns, 0)::bigint AS campaigns,
    coalesce(i.interviews, 0)::bigint AS interviews,
    coalesce(i.usable_interviews, 0)::bigint AS usable_interviews,
    coalesce(s.synthesis_documents, 0)::bigint AS synthesis_documents,
    coalesce(d.portal_documents, 0)::bigint AS portal_documents,
    coalesce(k.keys_in_force, 0)::bigint AS keys_in_force,
    m.finished_at AS last_import
FROM clients AS c
LEFT JOIN (SELECT n.client_id, count(*) AS campaigns FROM campaigns AS n GROUP BY n.client_id) AS p ON p.client_id = c.id
LEFT JOIN (
    SELECT n.client_id, count(*) AS interviews, count(*) FILTER (WHERE n.usable) AS usable_interviews
    FROM interviews AS n
    GROUP BY n.client_id
) AS i ON i.client_id = c.id
LEFT JOIN (SELECT n.client_id, count(*) AS synthesis_documents FROM synthesis_documents AS n GROUP BY n.client_id) AS s ON s.client_id = c.id
LEFT JOIN (SELECT n.client_id, count(*) AS portal_documents FROM portal_documents AS n GROUP BY n.client_id) AS d ON d.client_id = c.id
LEFT JOIN (
    SELECT n.client_id, count(*) AS keys_in_force
    FROM api_keys AS n
    WHERE (n.revoked_at IS NULL OR n.revoked_at > now())
        AND (n.expires_at IS NULL OR n.expires_at > now())
    GROUP BY n.client_id
) AS k ON k.client_id = c.id
LEFT JOIN (
    SELECT DISTINCT ON (n.client_id) n.client_id, n.finished_at
    FROM imports AS n
    WHERE n.finished_at IS NOT NULL
    ORDER BY n.client_id, n.id DESC
) AS m ON m.client_id = c.id
ORDER BY c.slug;

-- name: CountSearchDocuments :one
-- CountSearchDocuments counts a client's search documents, which go with its interviews.
SELECT count(*)
FROM search_documents AS d
WHERE d.client_id = @client_id;

-- name: DeleteKeys :one
-- DeleteKeys deletes keys of clients that are to be deleted, and counts them with what was
-- logged of them: all, or the revoked ones alone, whose log stays.
SELECT d.keys::bigint AS keys, d.log_rows::bigint AS log_rows, d.usage_rows::bigint AS usage_rows
FROM delete_keys(@client_ids::uuid[], @only_revoked::boolean, @account::text) AS d;
