-- name: ListPortalDocuments :many
-- ListPortalDocuments returns one page of a client's visible portal bodies of one
-- type, by feed date and then publication, the latest first and what has neither
-- last. Three ranges, as in ListSynthesisDocuments; the first page of a window of
-- days starts on the day after it. A window matches no undated body, whatever its
-- key.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_portal_documents AS t
        WHERE t.client_id = @client_id
            AND t.type = @type::text
            AND t.feed_key = @after_feed_key::date
            AND t.published_key = @after_published_key::timestamptz
            AND t.id > @after_id::uuid
            AND t.feed_key >= @first_day::date
            AND (NOT @of_days::boolean OR t.feed_date IS NOT NULL)
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT e.*
        FROM visible_portal_documents AS e
        WHERE e.client_id = @client_id
            AND e.type = @type::text
            AND e.feed_key = @after_feed_key::date
            AND e.published_key < @after_published_key::timestamptz
            AND e.feed_key >= @first_day::date
            AND (NOT @of_days::boolean OR e.feed_date IS NOT NULL)
        ORDER BY e.published_key DESC, e.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_portal_documents AS o
        WHERE o.client_id = @client_id
            AND o.type = @type::text
            AND o.feed_key < @after_feed_key::date
            AND o.feed_key >= @first_day::date
            AND (NOT @of_days::boolean OR o.feed_date IS NOT NULL)
        ORDER BY o.feed_key DESC, o.published_key DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.feed_key DESC, p.published_key DESC, p.id
LIMIT @max_rows;

-- name: ListPortalDocumentsOfLane :many
-- ListPortalDocumentsOfLane is ListPortalDocuments for the lane with a slug, whose
-- index holds the order. An unknown slug is no lane, and matches nothing.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_portal_documents AS t
        WHERE t.client_id = @client_id
            AND t.type = 'lane'
            AND t.lane_id = (
                SELECT l.id
                FROM lanes AS l
                WHERE l.client_id = @client_id
                    AND l.slug = @slug::text
            )
            AND t.feed_key = @after_feed_key::date
            AND t.published_key = @after_published_key::timestamptz
            AND t.id > @after_id::uuid
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT e.*
        FROM visible_portal_documents AS e
        WHERE e.client_id = @client_id
            AND e.type = 'lane'
            AND e.lane_id = (
                SELECT l.id
                FROM lanes AS l
                WHERE l.client_id = @client_id
                    AND l.slug = @slug::text
            )
            AND e.feed_key = @after_feed_key::date
            AND e.published_key < @after_published_key::timestamptz
        ORDER BY e.published_key DESC, e.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_portal_documents AS o
        WHERE o.client_id = @client_id
            AND o.type = 'lane'
            AND o.lane_id = (
                SELECT l.id
                FROM lanes AS l
                WHERE l.client_id = @client_id
                    AND l.slug = @slug::text
            )
            AND o.feed_key < @after_feed_key::date
        ORDER BY o.feed_key DESC, o.published_key DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.feed_key DESC, p.published_key DESC, p.id
LIMIT @max_rows;

-- name: ListPortalDocumentsOfCampaign :many
-- ListPortalDocumentsOfCampaign is ListPortalDocuments for the campaign with a
-- slug, live or not, whose index holds the order.
SELECT p.*
FROM (
    (
        SELECT t.*
        FROM visible_portal_documents AS t
        WHERE t.client_id = @client_id
            AND t.type = 'campaign'
            AND t.campaign_id = (
                SELECT c.id
                FROM campaigns AS c
                WHERE c.client_id = @client_id
                    AND c.slug = @slug::text
            )
            AND t.feed_key = @after_feed_key::date
            AND t.published_key = @after_published_key::timestamptz
            AND t.id > @after_id::uuid
        ORDER BY t.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT e.*
        FROM visible_portal_documents AS e
        WHERE e.client_id = @client_id
            AND e.type = 'campaign'
            AND e.campaign_id = (
                SELECT c.id
                FROM campaigns AS c
                WHERE c.client_id = @client_id
                    AND c.slug = @slug::text
            )
            AND e.feed_key = @after_feed_key::date
            AND e.published_key < @after_published_key::timestamptz
        ORDER BY e.published_key DESC, e.id
        LIMIT @max_rows
    )
    UNION ALL
    (
        SELECT o.*
        FROM visible_portal_documents AS o
        WHERE o.client_id = @client_id
            AND o.type = 'campaign'
            AND o.campaign_id = (
                SELECT c.id
                FROM campaigns AS c
                WHERE c.client_id = @client_id
                    AND c.slug = @slug::text
            )
            AND o.feed_key < @after_feed_key::date
        ORDER BY o.feed_key DESC, o.published_key DESC, o.id
        LIMIT @max_rows
    )
) AS p
ORDER BY p.feed_key DESC, p.published_key DESC, p.id
LIMIT @max_rows;

-- name: ListSavedBases :many
-- ListSavedBases returns the measurement bases that were saved with the given
-- bodies, and the slugs that determine each body's surface.
SELECT
    d.id AS document_id,
    l.slug AS lane_slug,
    c.slug AS campaign_slug,
    s.id,
    s.as_of,
    s.measurement_contract_version,
    s.scope_hash,
    s.membership_hash,
    s.source_interview_ids,
    s.source_count
FROM portal_documents AS d
JOIN measurement_snapshots AS s
    ON s.client_id = d.client_id
    AND s.id = d.measurement_snapshot_id
LEFT JOIN lanes AS l
    ON l.client_id = d.client_id
    AND l.id = d.lane_id
LEFT JOIN campaigns AS c
    ON c.client_id = d.client_id
    AND c.id = d.campaign_id
WHERE d.client_id = @client_id
    AND d.id = ANY(@document_ids::uuid[]);
