-- name: ListCampaigns :many
-- ListCampaigns returns one page of a client's campaigns, newest first, those
-- without a time of creation last. Ask for one row more than the page holds: the
-- extra row only proves that another page exists. The first page starts beyond
-- the newest row.
--
-- Two ranges, each an index condition of its own, over the key that makes a
-- missing time year 1. Under a window an undated campaign is no match, whatever
-- its key. What else is asked for only narrows: no status is the empty string,
-- which no request can carry.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM campaigns AS t
        WHERE t.client_id = @client_id
            AND coalesce(t.created_at, '0001-01-01 00:00:00+00'::timestamptz) = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND coalesce(t.created_at, '0001-01-01 00:00:00+00'::timestamptz) >= @from_created_at::timestamptz
            AND (@with_undated::boolean OR t.created_at IS NOT NULL)
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
            AND coalesce(o.created_at, '0001-01-01 00:00:00+00'::timestamptz) < @after_created_at::timestamptz
            AND coalesce(o.created_at, '0001-01-01 00:00:00+00'::timestamptz) >= @from_created_at::timestamptz
            AND (@with_undated::boolean OR o.created_at IS NOT NULL)
            AND (@launch_status::text = '' OR o.launch_status = @launch_status::text)
            AND (sqlc.narg(updated_since)::timestamptz IS NULL OR o.updated_at >= sqlc.narg(updated_since)::timestamptz)
        ORDER BY coalesce(o.created_at, '0001-01-01 00:00:00+00'::timestamptz) DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY coalesce(p.created_at, '0001-01-01 00:00:00+00'::timestamptz) DESC, p.id
LIMIT @max_rows;

-- name: FindCampaign :many
-- FindCampaign returns the campaign with an id, if the filters of ListCampaigns
-- let it through: one row, or none.
SELECT c.*
FROM campaigns AS c
WHERE c.client_id = @client_id
    AND c.id = @id
    AND coalesce(c.created_at, '0001-01-01 00:00:00+00'::timestamptz) >= @from_created_at::timestamptz
    AND coalesce(c.created_at, '0001-01-01 00:00:00+00'::timestamptz) < @until_created_at::timestamptz
    AND (@with_undated::boolean OR c.created_at IS NOT NULL)
    AND (@launch_status::text = '' OR c.launch_status = @launch_status::text)
    AND (sqlc.narg(updated_since)::timestamptz IS NULL OR c.updated_at >= sqlc.narg(updated_since)::timestamptz);
