-- name: ReadDataPointsInIndexOrder :exec
-- ReadDataPointsInIndexOrder makes this transaction read data points along an
-- index, in order and from the first row on, whatever the statistics say.
SELECT
    set_config('enable_sort', 'off', true),
    set_config('enable_bitmapscan', 'off', true),
    set_config('enable_seqscan', 'off', true);

-- name: ListCampaignNames :many
-- ListCampaignNames returns what a chart calls each of a client's campaigns.
SELECT c.id, c.slug, c.display_name, c.live
FROM campaigns AS c
WHERE c.client_id = @client_id;

-- name: ListDataPoints :many
-- ListDataPoints returns the charted facts of a client's usable interviews in a
-- window, newest first, max_rows at a time: a window can hold a million. The first part
-- starts beyond the newest row, each further one after the last row before.
SELECT p.created_at, p.id, p.campaign_id, p.nps_score
FROM (
    (
        SELECT t.created_at, t.id, t.campaign_id, t.nps_score
        FROM usable_interviews AS t
        WHERE t.client_id = @client_id
            AND t.created_at = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.created_at >= @from_created_at::timestamptz
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.created_at, o.id, o.campaign_id, o.nps_score
        FROM usable_interviews AS o
        WHERE o.client_id = @client_id
            AND o.created_at < @after_created_at::timestamptz
            AND o.created_at >= @from_created_at::timestamptz
        ORDER BY o.created_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.created_at DESC, p.id
LIMIT @max_rows;

-- name: ListDataPointsOfCampaign :many
-- ListDataPointsOfCampaign is ListDataPoints for one campaign.
SELECT p.created_at, p.id, p.campaign_id, p.nps_score
FROM (
    (
        SELECT t.created_at, t.id, t.campaign_id, t.nps_score
        FROM usable_interviews AS t
        WHERE t.client_id = @client_id
            AND t.campaign_id = @campaign_id::uuid
            AND t.created_at = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.created_at >= @from_created_at::timestamptz
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.created_at, o.id, o.campaign_id, o.nps_score
        FROM usable_interviews AS o
        WHERE o.client_id = @client_id
            AND o.campaign_id = @campaign_id::uuid
            AND o.created_at < @after_created_at::timestamptz
            AND o.created_at >= @from_created_at::timestamptz
        ORDER BY o.created_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.created_at DESC, p.id
LIMIT @max_rows;
