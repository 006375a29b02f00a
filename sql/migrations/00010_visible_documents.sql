-- Which documents are visible, written once as views, and the indexes that hold
-- their order under each filter. Locks the two document tables against writes
-- while the indexes are built and the stored bodies are checked.

-- +goose Up

-- Rows of the two types that only the portal has are never listed. Skipping
-- them one by one would make a page cost what the client has of them.
DROP INDEX synthesis_documents_page;
CREATE INDEX synthesis_documents_page ON synthesis_documents (
    client_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published' AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed');
-- The day comes last, so that other days are passed over inside the index.
CREATE INDEX synthesis_documents_feed_page ON synthesis_documents (
    client_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id,
    feed_date
) WHERE status = 'published' AND feed_date IS NOT NULL;

-- As small as they can be: of two indexes that promise a row each, the planner
-- takes the smaller one, and the larger one has all of a long tie to walk.
CREATE INDEX synthesis_documents_lane_page ON synthesis_documents (
    client_id,
    lane_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published'
    AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
    AND lane_id IS NOT NULL;
CREATE INDEX synthesis_documents_campaign_page ON synthesis_documents (
    client_id,
    campaign_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published'
    AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
    AND campaign_id IS NOT NULL;
CREATE INDEX portal_documents_lane_page ON portal_documents (
    client_id,
    lane_id,
    coalesce(feed_date, '0001-01-01'::date) DESC,
    coalesce(published_at, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    id
) WHERE status = 'published' AND type = 'lane' AND lane_id IS NOT NULL;
CREATE INDEX portal_documents_campaign_page ON portal_documents (
    client_id,
    campaign_id,
    coalesce(feed_date, '0001-01-01'::date) DESC,
    coalesce(published_at, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    id
) WHERE status = 'published' AND type = 'campaign' AND campaign_id IS NOT NULL;

-- A body is served as it is. It must not claim what the server alone vouches
-- for, nor pass for a row of the collection.
ALTER TABLE portal_documents
    ADD CONSTRAINT portal_documents_body_claims_no_integrity CHECK (NOT body ? 'measurement_integrity'),
    ADD CONSTRAINT portal_documents_body_is_told_from_a_row
        CHECK (NOT body ?& ARRAY['synthesis_type', 'document', 'contract_version']);

-- What collection mode reads. The lane is asked in a subquery and not joined: a
-- join could be planned so that the index's order is lost.
CREATE VIEW visible_synthesis_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.synthesis_type,
    d.lane_id,
    d.campaign_id,
    d.document,
    d.contract_version,
    d.status,
    d.cadence,
    d.feed_date,
    d.last_refreshed,
    d.created_at,
    d.updated_at,
    coalesce(d.last_refreshed, '0001-01-01 00:00:00+00')::timestamptz AS refreshed_key
FROM synthesis_documents AS d
WHERE d.status = 'published'
    AND (
        d.lane_id IS NULL
        OR (
            SELECT l.visible
            FROM lanes AS l
            WHERE l.client_id = d.client_id
                AND l.id = d.lane_id
        )
    );

-- What portal mode reads.
CREATE VIEW visible_portal_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.type,
    d.lane_id,
    d.campaign_id,
    d.feed_date,
    d.body,
    d.measurement_snapshot_id,
    coalesce(d.feed_date, '0001-01-01')::date AS feed_key,
    coalesce(d.published_at, '0001-01-01 00:00:00+00')::timestamptz AS published_key
FROM portal_documents AS d
WHERE d.status = 'published'
    AND (
        d.lane_id IS NULL
        OR (
            SELECT l.visible
            FROM lanes AS l
            WHERE l.client_id = d.client_id
                AND l.id = d.lane_id
        )
    );

GRANT SELECT ON visible_synthesis_documents, visible_portal_documents TO clientintel_server;

-- +goose Down
DROP VIEW visible_portal_documents;
DROP VIEW visible_synthesis_documents;
ALTER TABLE portal_documents
    DROP CONSTRAINT portal_documents_body_is_told_from_a_row,
    DROP CONSTRAINT portal_documents_body_claims_no_integrity;
DROP INDEX portal_documents_campaign_page;
DROP INDEX portal_documents_lane_page;
DROP INDEX synthesis_documents_campaign_page;
DROP INDEX synthesis_documents_lane_page;
DROP INDEX synthesis_documents_feed_page;
DROP INDEX synthesis_documents_page;
CREATE INDEX synthesis_documents_page ON synthesis_documents (
    client_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published';
