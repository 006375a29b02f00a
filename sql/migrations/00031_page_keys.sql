-- The keys that documents and campaigns are paged by, written so that they can be
-- index conditions behind row-level security. There the planner uses a condition
-- for an index only when it cannot leak what it looks at. It knows that of CASE,
-- and not of coalesce, which says the same.
--
-- Locks the three tables against writes while nine indexes are built anew, and
-- against everything for a moment at the end.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    page record;
BEGIN
    -- Definitions are read as text, moments in the session's zone.
    PERFORM set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO', true);
    FOR page IN
        SELECT c.relname AS name, pg_get_indexdef(c.oid) AS definition
        FROM pg_index AS x
        JOIN pg_class AS c ON c.oid = x.indexrelid
        WHERE x.indrelid IN ('campaigns'::regclass, 'synthesis_documents'::regclass, 'portal_documents'::regclass)
            AND pg_get_indexdef(c.oid) LIKE '%COALESCE%'
    LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', page.name, page.name || '_leaky');
        EXECUTE regexp_replace(
            page.definition, 'COALESCE\((\w+), (''[^'']+''::[a-z ]+)\)',
            '(CASE WHEN \1 IS NULL THEN \2 ELSE \1 END)', 'g');
    END LOOP;
    FOR page IN SELECT c.oid::regclass AS name FROM pg_class AS c WHERE c.relkind = 'i' AND c.relname LIKE '%\_leaky' LOOP
        EXECUTE format('DROP INDEX %s', page.name);
    END LOOP;
END;
$$;
-- +goose StatementEnd

CREATE OR REPLACE VIEW visible_synthesis_documents WITH (security_invoker = true) AS
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
    (CASE WHEN d.last_refreshed IS NULL THEN '0001-01-01 00:00:00+00' ELSE d.last_refreshed END)::timestamptz AS refreshed_key
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

CREATE OR REPLACE VIEW visible_portal_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.type,
    d.lane_id,
    d.campaign_id,
    d.feed_date,
    d.body,
    d.measurement_snapshot_id,
    (CASE WHEN d.feed_date IS NULL THEN '0001-01-01' ELSE d.feed_date END)::date AS feed_key,
    (CASE WHEN d.published_at IS NULL THEN '0001-01-01 00:00:00+00' ELSE d.published_at END)::timestamptz AS published_key
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

-- +goose Down
-- Nothing: what reads by coalesce reads the same rows by CASE.
