-- name: ListInterviews :many
-- ListInterviews returns one page of a client's usable interviews, newest
-- first. Ask for one row more than the page holds: the extra row only proves
-- that another page exists. The first page starts beyond the newest row.
--
-- The filters are those of matching_interviews. Two ranges, each an index condition of its own: the rest of the cursor's
-- instant, then everything older. One range with an OR reads all rows of one
-- instant. The ranges pass a gated column as a pointer to its stored value, and CASE
-- keeps it from being read, even detoasted, unless its flag is set. The casts type the
-- gated columns as JSON.
SELECT
    p.id,
    p.client_id,
    p.created_at,
    p.campaign_id,
    p.participant_name,
    p.interview_type,
    p.status,
    p.duration_seconds,
    p.nps_score,
    p.customer_sentiment,
    p.churn_risk,
    p.best_quote,
    (CASE WHEN @with_identity::boolean THEN to_jsonb(p.participant_email) END)::jsonb AS participant_email,
    (CASE WHEN @with_transcripts::boolean THEN p.transcript END)::jsonb AS transcript,
    (CASE WHEN @with_custom_extraction::boolean THEN p.custom_extraction END)::jsonb AS custom_extraction
FROM (
    (
        SELECT t.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS t
        WHERE t.created_at = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS o
        WHERE o.created_at < @after_created_at::timestamptz
        ORDER BY o.created_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.created_at DESC, p.id
LIMIT @max_rows;

-- name: ListInterviewsOfCampaign :many
-- ListInterviewsOfCampaign is ListInterviews for one campaign, whose index holds
-- the order.
SELECT
    p.id,
    p.client_id,
    p.created_at,
    p.campaign_id,
    p.participant_name,
    p.interview_type,
    p.status,
    p.duration_seconds,
    p.nps_score,
    p.customer_sentiment,
    p.churn_risk,
    p.best_quote,
    (CASE WHEN @with_identity::boolean THEN to_jsonb(p.participant_email) END)::jsonb AS participant_email,
    (CASE WHEN @with_transcripts::boolean THEN p.transcript END)::jsonb AS transcript,
    (CASE WHEN @with_custom_extraction::boolean THEN p.custom_extraction END)::jsonb AS custom_extraction
FROM (
    (
        SELECT t.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS t
        WHERE t.created_at = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.campaign_id = @campaign_id::uuid
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS o
        WHERE o.created_at < @after_created_at::timestamptz
            AND o.campaign_id = @campaign_id::uuid
        ORDER BY o.created_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.created_at DESC, p.id
LIMIT @max_rows;

-- name: ListInterviewsWithStatus :many
-- ListInterviewsWithStatus is ListInterviews for one status, whose index holds
-- the order.
SELECT
    p.id,
    p.client_id,
    p.created_at,
    p.campaign_id,
    p.participant_name,
    p.interview_type,
    p.status,
    p.duration_seconds,
    p.nps_score,
    p.customer_sentiment,
    p.churn_risk,
    p.best_quote,
    (CASE WHEN @with_identity::boolean THEN to_jsonb(p.participant_email) END)::jsonb AS participant_email,
    (CASE WHEN @with_transcripts::boolean THEN p.transcript END)::jsonb AS transcript,
    (CASE WHEN @with_custom_extraction::boolean THEN p.custom_extraction END)::jsonb AS custom_extraction
FROM (
    (
        SELECT t.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS t
        WHERE t.created_at = @after_created_at::timestamptz
            AND t.id > @after_id::uuid
            AND t.status = @status::text
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS o
        WHERE o.created_at < @after_created_at::timestamptz
            AND o.status = @status::text
        ORDER BY o.created_at DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.created_at DESC, p.id
LIMIT @max_rows;

-- name: ListMemberIDs :many
-- ListMemberIDs returns the ids behind a list of interviews, in no order. Ask for one
-- more than a basis may hold, to see whether the response may have a basis.
SELECT i.id
FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS i
LIMIT @max_rows;

-- name: ListMemberIDsOfCampaign :many
-- ListMemberIDsOfCampaign is ListMemberIDs for ListInterviewsOfCampaign.
SELECT i.id
FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS i
WHERE i.campaign_id = @campaign_id::uuid
LIMIT @max_rows;

-- name: ListMemberIDsWithStatus :many
-- ListMemberIDsWithStatus is ListMemberIDs for ListInterviewsWithStatus.
SELECT i.id
FROM matching_interviews(@client_id::uuid, @status::text, @from_created_at::timestamptz, @until_created_at::timestamptz) AS i
WHERE i.status = @status::text
LIMIT @max_rows;

-- name: GetInterview :one
-- GetInterview returns one usable interview of the client, its columns in the
-- order of a list's.
SELECT
    i.id,
    i.client_id,
    i.created_at,
    i.campaign_id,
    i.participant_name,
    i.interview_type,
    i.status,
    i.duration_seconds,
    i.nps_score,
    i.customer_sentiment,
    i.churn_risk,
    i.best_quote,
    (CASE WHEN @with_identity::boolean THEN to_jsonb(i.participant_email) END)::jsonb AS participant_email,
    (CASE WHEN @with_transcripts::boolean THEN i.transcript END)::jsonb AS transcript,
    (CASE WHEN @with_custom_extraction::boolean THEN i.custom_extraction END)::jsonb AS custom_extraction,
    (CASE WHEN @with_raw_extraction::boolean THEN i.raw_extraction END)::jsonb AS raw_extraction
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.id = @id;
