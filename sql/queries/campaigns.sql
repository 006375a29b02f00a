-- name: ListCampaigns :many
-- ListCampaigns returns one page of a client's campaigns, newest first, those
-- without a time of creation last. Ask for one row more than the page holds: the
-- extra row only proves that another page exists. The first page starts beyond
-- the newest row.
--
-- Two ranges, each an index condition of its own, over the key that makes a
-- missing time the day before year 1: by CASE, as coalesce would be no index condition behind
-- row-level security. A window's bounds exclude undated campaigns. The other filters
-- only narrow; no status is the empty string, which no request can carry.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM campaigns AS t
        WHERE t.client_id = @client_id
            AND (CASE WHEN t.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE t.created_at END) = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND (CASE WHEN t.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE t.created_at END) >= @from_created_at::timestamptz
            AND (@launch_status::text = '' OR t.launch_status = @launch_status::text)
            AND (sqlc.narg(updated_since)::timestamptz IS NULL OR t.updated_at >= sqlc.narg(updated_since)::timestamptz)
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM campaigns AS o
        WHERE o.client_id = @client_id
            AND (CASE WHEN o.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE o.created_at END) < @after_created_at::timestamptz
            AND (CASE WHEN o.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE o.created_at END) >= @from_created_at::timestamptz
            AND (@launch_status::text = '' OR o.launch_status = @launch_status::text)
            AND (sqlc.narg(updated_since)::timestamptz IS NULL OR o.updated_at >= sqlc.narg(updated_since)::timestamptz)
        ORDER BY CASE WHEN o.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE o.created_at END DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY CASE WHEN p.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE p.created_at END DESC, p.id
LIMIT @max_rows;

-- name: FindCampaign :many
-- FindCampaign returns the campaign with an id, if it passes the filters of
-- ListCampaigns: one row, or none.
SELECT c.*
FROM campaigns AS c
WHERE c.client_id = @client_id
    AND c.id = @id
    AND (CASE WHEN c.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE c.created_at END) >= @from_created_at::timestamptz
    AND (CASE WHEN c.created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE c.created_at END) < @until_created_at::timestamptz
    AND (@launch_status::text = '' OR c.launch_status = @launch_status::text)
    AND (sqlc.narg(updated_since)::timestamptz IS NULL OR c.updated_at >= sqlc.narg(updated_since)::timestamptz);
