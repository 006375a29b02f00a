-- name: ListSynthesisDocuments :many
-- ListSynthesisDocuments returns one page of a client's visible rows, last
-- refreshed first, never refreshed last, then last changed first. Ask for one row
-- more than the page holds: the extra row only proves that another page exists.
-- The first page starts beyond the newest row.
--
-- Three ranges, each an index condition of its own: the rest of the cursor's two
-- instants, the rest of the first of them, then everything older. One range with
-- an OR reads all rows of one instant. updated_since is checked inside the index;
-- every row passes year 1. The types are named here and not in the view: there they
-- would offer this query's index to ListSynthesisDocumentsOfType, which has a better
-- one.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_synthesis_documents AS t
        WHERE t.client_id = @client_id
            AND t.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND t.refreshed_key = @after_refreshed_key::timestamptz
            AND t.updated_at = @after_updated_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.updated_at >= @updated_since::timestamptz
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT u.*
        FROM visible_synthesis_documents AS u
        WHERE u.client_id = @client_id
            AND u.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND u.refreshed_key = @after_refreshed_key::timestamptz
            AND u.updated_at < @after_updated_at::timestamptz
            AND u.updated_at >= @updated_since::timestamptz
        ORDER BY u.updated_at DESC, u.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_synthesis_documents AS o
        WHERE o.client_id = @client_id
            AND o.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND o.refreshed_key < @after_refreshed_key::timestamptz
            AND o.updated_at >= @updated_since::timestamptz
        ORDER BY o.refreshed_key DESC, o.updated_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.refreshed_key DESC, p.updated_at DESC, p.id
LIMIT @max_rows;

-- name: ListSynthesisDocumentsOfType :many
-- ListSynthesisDocumentsOfType is ListSynthesisDocuments for one type, whose index
-- holds the order.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_synthesis_documents AS t
        WHERE t.client_id = @client_id
            AND t.synthesis_type = @synthesis_type::text
            AND t.refreshed_key = @after_refreshed_key::timestamptz
            AND t.updated_at = @after_updated_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.updated_at >= @updated_since::timestamptz
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT u.*
        FROM visible_synthesis_documents AS u
        WHERE u.client_id = @client_id
            AND u.synthesis_type = @synthesis_type::text
            AND u.refreshed_key = @after_refreshed_key::timestamptz
            AND u.updated_at < @after_updated_at::timestamptz
            AND u.updated_at >= @updated_since::timestamptz
        ORDER BY u.updated_at DESC, u.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_synthesis_documents AS o
        WHERE o.client_id = @client_id
            AND o.synthesis_type = @synthesis_type::text
            AND o.refreshed_key < @after_refreshed_key::timestamptz
            AND o.updated_at >= @updated_since::timestamptz
        ORDER BY o.refreshed_key DESC, o.updated_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.refreshed_key DESC, p.updated_at DESC, p.id
LIMIT @max_rows;

-- name: ListSynthesisDocumentsOfDays :many
-- ListSynthesisDocumentsOfDays is ListSynthesisDocuments for a window of feed
-- dates, both included and checked inside the index. A type only narrows it; no
-- type is the empty string, which no request can carry.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_synthesis_documents AS t
        WHERE t.client_id = @client_id
            AND t.feed_date >= @first_day::date
            AND t.feed_date <= @last_day::date
            AND t.refreshed_key = @after_refreshed_key::timestamptz
            AND t.updated_at = @after_updated_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.updated_at >= @updated_since::timestamptz
            AND t.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR t.synthesis_type = @synthesis_type::text)
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT u.*
        FROM visible_synthesis_documents AS u
        WHERE u.client_id = @client_id
            AND u.feed_date >= @first_day::date
            AND u.feed_date <= @last_day::date
            AND u.refreshed_key = @after_refreshed_key::timestamptz
            AND u.updated_at < @after_updated_at::timestamptz
            AND u.updated_at >= @updated_since::timestamptz
            AND u.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR u.synthesis_type = @synthesis_type::text)
        ORDER BY u.updated_at DESC, u.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_synthesis_documents AS o
        WHERE o.client_id = @client_id
            AND o.feed_date >= @first_day::date
            AND o.feed_date <= @last_day::date
            AND o.refreshed_key < @after_refreshed_key::timestamptz
            AND o.updated_at >= @updated_since::timestamptz
            AND o.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR o.synthesis_type = @synthesis_type::text)
        ORDER BY o.refreshed_key DESC, o.updated_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.refreshed_key DESC, p.updated_at DESC, p.id
LIMIT @max_rows;

-- name: ListSynthesisDocumentsOfLane :many
-- ListSynthesisDocumentsOfLane is ListSynthesisDocuments for one lane, whose index
-- holds the order. A type, a campaign and feed dates only narrow it.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_synthesis_documents AS t
        WHERE t.client_id = @client_id
            AND t.lane_id = @lane_id::uuid
            AND t.refreshed_key = @after_refreshed_key::timestamptz
            AND t.updated_at = @after_updated_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.updated_at >= @updated_since::timestamptz
            AND t.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR t.synthesis_type = @synthesis_type::text)
            AND (sqlc.narg(campaign_id)::uuid IS NULL OR t.campaign_id = sqlc.narg(campaign_id)::uuid)
            AND (NOT @of_days::boolean OR t.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT u.*
        FROM visible_synthesis_documents AS u
        WHERE u.client_id = @client_id
            AND u.lane_id = @lane_id::uuid
            AND u.refreshed_key = @after_refreshed_key::timestamptz
            AND u.updated_at < @after_updated_at::timestamptz
            AND u.updated_at >= @updated_since::timestamptz
            AND u.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR u.synthesis_type = @synthesis_type::text)
            AND (sqlc.narg(campaign_id)::uuid IS NULL OR u.campaign_id = sqlc.narg(campaign_id)::uuid)
            AND (NOT @of_days::boolean OR u.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY u.updated_at DESC, u.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_synthesis_documents AS o
        WHERE o.client_id = @client_id
            AND o.lane_id = @lane_id::uuid
            AND o.refreshed_key < @after_refreshed_key::timestamptz
            AND o.updated_at >= @updated_since::timestamptz
            AND o.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR o.synthesis_type = @synthesis_type::text)
            AND (sqlc.narg(campaign_id)::uuid IS NULL OR o.campaign_id = sqlc.narg(campaign_id)::uuid)
            AND (NOT @of_days::boolean OR o.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY o.refreshed_key DESC, o.updated_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.refreshed_key DESC, p.updated_at DESC, p.id
LIMIT @max_rows;

-- name: ListSynthesisDocumentsOfCampaign :many
-- ListSynthesisDocumentsOfCampaign is ListSynthesisDocuments for one campaign,
-- whose index holds the order. A type and feed dates only narrow it.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_synthesis_documents AS t
        WHERE t.client_id = @client_id
            AND t.campaign_id = @campaign_id::uuid
            AND t.refreshed_key = @after_refreshed_key::timestamptz
            AND t.updated_at = @after_updated_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.updated_at >= @updated_since::timestamptz
            AND t.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR t.synthesis_type = @synthesis_type::text)
            AND (NOT @of_days::boolean OR t.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT u.*
        FROM visible_synthesis_documents AS u
        WHERE u.client_id = @client_id
            AND u.campaign_id = @campaign_id::uuid
            AND u.refreshed_key = @after_refreshed_key::timestamptz
            AND u.updated_at < @after_updated_at::timestamptz
            AND u.updated_at >= @updated_since::timestamptz
            AND u.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR u.synthesis_type = @synthesis_type::text)
            AND (NOT @of_days::boolean OR u.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY u.updated_at DESC, u.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_synthesis_documents AS o
        WHERE o.client_id = @client_id
            AND o.campaign_id = @campaign_id::uuid
            AND o.refreshed_key < @after_refreshed_key::timestamptz
            AND o.updated_at >= @updated_since::timestamptz
            AND o.synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
            AND (@synthesis_type::text = '' OR o.synthesis_type = @synthesis_type::text)
            AND (NOT @of_days::boolean OR o.feed_date BETWEEN @first_day::date AND @last_day::date)
        ORDER BY o.refreshed_key DESC, o.updated_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.refreshed_key DESC, p.updated_at DESC, p.id
LIMIT @max_rows;
