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
-- window, newest first, at most max_rows (null: all). A window can hold a million:
-- its rows are read one by one, by their columns' names.
SELECT i.created_at, i.id, i.campaign_id, i.nps_score
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.created_at >= @from_created_at::timestamptz
    AND i.created_at < @until_created_at::timestamptz
ORDER BY i.created_at DESC, i.id
LIMIT sqlc.narg(max_rows)::bigint;

-- name: ListDataPointsOfCampaign :many
-- ListDataPointsOfCampaign is ListDataPoints for one campaign.
SELECT i.created_at, i.id, i.campaign_id, i.nps_score
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.campaign_id = @campaign_id::uuid
    AND i.created_at >= @from_created_at::timestamptz
    AND i.created_at < @until_created_at::timestamptz
ORDER BY i.created_at DESC, i.id
LIMIT sqlc.narg(max_rows)::bigint;
