-- What each import did, client by client, also the failed ones; and the interviews that
-- were erased, which no import brings back. Locks imports for a moment: columns are added,
-- which nobody reads yet.

-- +goose Up
SET LOCAL lock_timeout = '5s';

ALTER TABLE imports
    -- Null of an import that touched no client, or failed before it was known.
    ADD COLUMN client_id uuid,
    ADD COLUMN command text NOT NULL DEFAULT 'import',
    ADD COLUMN source text,
    ADD COLUMN account text,
    ADD COLUMN started_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
    -- How many records of each kind were added, changed, removed; null of several clients.
    ADD COLUMN kinds jsonb,
    -- Why nothing was imported. finished_at is null then.
    ADD COLUMN error text,
    ALTER COLUMN finished_at DROP NOT NULL;

CREATE INDEX imports_of_client ON imports (client_id, id);

-- Interviews that were erased. No import brings them back.
CREATE TABLE suppressed_interviews (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    suppressed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (client_id, id)
);

-- read_sync_health is what metrics tell of nightly imports: when the client that waits
-- longest was last synced, and how many clients were not within 26 hours. A client counts
-- from its first attempt on; one that was never there, until it is no longer attempted.
-- +goose StatementBegin
CREATE FUNCTION read_sync_health(OUT oldest_success timestamptz, OUT late_clients bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT min(s.succeeded_at), count(*) FILTER (WHERE s.succeeded_at < now() - interval '26 hours')
    INTO oldest_success, late_clients
    FROM (
        SELECT coalesce(max(i.finished_at), min(i.started_at)) AS succeeded_at
        FROM public.imports AS i
        WHERE i.command = 'sync'
            AND i.client_id IS NOT NULL
        GROUP BY i.client_id
        HAVING EXISTS (SELECT FROM public.clients AS c WHERE c.id = i.client_id)
            OR max(i.started_at) > now() - interval '26 hours'
    ) AS s;
END;
$$;
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION read_sync_health FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_sync_health TO clientintel_server;

-- +goose Down
DROP FUNCTION read_sync_health;
DROP TABLE suppressed_interviews;
DROP INDEX imports_of_client;
DELETE FROM imports WHERE finished_at IS NULL;
ALTER TABLE imports
    DROP COLUMN client_id,
    DROP COLUMN command,
    DROP COLUMN source,
    DROP COLUMN account,
    DROP COLUMN started_at,
    DROP COLUMN kinds,
    DROP COLUMN error,
    ALTER COLUMN finished_at SET NOT NULL;
