-- What the servers call from time to time: the logs' partitions, the changes that
-- no writer added to a state, and the documents that wait for the trigram index.
-- Each works in one server at a time. Locks nothing: new functions.

-- +goose Up
-- maintain_request_log makes the partitions of the coming days and drops those
-- whose last row is older than the retention. Nobody who calls it chooses the
-- retention: the log is the rate limiter's window.
-- +goose StatementBegin
CREATE FUNCTION maintain_request_log() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $_$
DECLARE
    retention CONSTANT interval := '7 days';
    today date := (now() AT TIME ZONE 'UTC')::date;
    log record;
    day date;
    begins timestamptz;
    ends timestamptz;
    in_default boolean;
    part record;
BEGIN
    -- One at a time; a second call would find nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel maintain_request_log', 0)) THEN
        RETURN;
    END IF;
    FOR log IN SELECT * FROM (VALUES ('request_log', 'at'), ('request_statuses', 'recorded_at')) AS v (name, moment) LOOP
        FOR day IN SELECT today + n FROM generate_series(0, 2) AS n LOOP
            CONTINUE WHEN to_regclass(format('public.%s_%s', log.name, to_char(day, 'YYYYMMDD'))) IS NOT NULL;
            begins := day::timestamp AT TIME ZONE 'UTC';
            ends := (day + 1)::timestamp AT TIME ZONE 'UTC';
            EXECUTE format(
                'SELECT EXISTS (SELECT 1 FROM public.%1$s_default AS r WHERE r.%2$I >= $1 AND r.%2$I < $2)', log.name, log.moment)
            INTO in_default USING begins, ends;
            CONTINUE WHEN in_default;
            EXECUTE format(
                'CREATE TABLE public.%1$s_%2$s PARTITION OF public.%1$s FOR VALUES FROM (%3$L) TO (%4$L)',
                log.name, to_char(day, 'YYYYMMDD'), begins, ends);
        END LOOP;
        FOR part IN
            SELECT c.oid::regclass AS name, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
            FROM pg_inherits AS h
            JOIN pg_class AS c ON c.oid = h.inhrelid
            WHERE h.inhparent = format('public.%I', log.name)::regclass
                AND c.relname ~ '_[0-9]{8}$'
        LOOP
            IF (part.day + 1)::timestamp AT TIME ZONE 'UTC' < now() - retention THEN
                EXECUTE format('DROP TABLE %s', part.name);
            END IF;
        END LOOP;
        EXECUTE format('DELETE FROM public.%s_default AS r WHERE r.%I < now() - $1', log.name, log.moment) USING retention;
    END LOOP;
END;
$_$;
-- +goose StatementEnd

-- Today and the next two days, so that the first server finds them.
SELECT maintain_request_log();

-- merge_leftover_changes merges what writers left over: those at stricter isolation
-- levels merge nothing. In a transaction of its own, as it locks states.
-- +goose StatementBegin
CREATE FUNCTION merge_leftover_changes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    changed uuid;
BEGIN
    IF current_setting('transaction_isolation') = 'read committed' THEN
        FOR changed IN SELECT DISTINCT m.client_id FROM public.measurement_changes AS m LOOP
            PERFORM public.merge_client_changes(changed);
        END LOOP;
    END IF;
END;
$$;
-- +goose StatementEnd

-- index_search_documents puts up to max_documents documents into the trigram
-- index, and returns how many; null when another call is at work. What was written
-- first is indexed first: the index of what is outside has it in that order.
-- Clients of up to scan_limit documents have no use for it; the others keep the
-- newest keep_outside out of it, as indexing a few at a time costs more than
-- reading them.
-- +goose StatementBegin
CREATE FUNCTION index_search_documents(
    scan_limit bigint, keep_outside bigint, max_documents integer,
    OUT added integer
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off
-- All at once at the end costs less than half of bit by bit.
SET gin_pending_list_limit = '256MB' AS $$
DECLARE
    large record;
    surplus bigint;
    of_client integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN;
    END IF;
    added := 0;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > scan_limit LOOP
        SELECT count(*) - keep_outside INTO surplus
        FROM (
            SELECT 1
            FROM public.search_documents AS d
            WHERE d.client_id = large.client_id
                AND NOT d.indexed
            LIMIT keep_outside + max_documents - added
        ) AS outside;
        CONTINUE WHEN surplus <= 0;
        -- A document that is being written is left to the next time.
        UPDATE public.search_documents AS d
        SET indexed = true
        WHERE d.ctid = ANY (ARRAY(
            SELECT s.ctid
            FROM public.search_documents AS s
            WHERE s.client_id = large.client_id
                AND NOT s.indexed
            LIMIT surplus
            FOR UPDATE SKIP LOCKED
        ));
        GET DIAGNOSTICS of_client = ROW_COUNT;
        added := added + of_client;
        EXIT WHEN added >= max_documents;
    END LOOP;
    IF added > 0 THEN
        -- Else each search reads the list of what is pending.
        PERFORM gin_clean_pending_list('public.search_documents_trigrams');
    END IF;
END;
$$;
-- +goose StatementEnd

-- When imports ended, for alerts.
CREATE TABLE imports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- read_health is what a server's metrics tell of the database: sums over all
-- clients, which the server's role does not see. Of a large client it counts no
-- more than a hundred thousand documents.
-- +goose StatementBegin
CREATE FUNCTION read_health(
    scan_limit bigint, keep_outside bigint,
    OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    large record;
BEGIN
    search_backlog := 0;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > scan_limit LOOP
        search_backlog := search_backlog + greatest((
            SELECT count(*)
            FROM (
                SELECT 1
                FROM public.search_documents AS d
                WHERE d.client_id = large.client_id
                    AND NOT d.indexed
                LIMIT keep_outside + 100000
            ) AS outside
        ) - keep_outside, 0);
    END LOOP;
    -- Left behind by a clock that was ahead and was set back. By key, as the log has
    -- no index by time; requests with unknown prefixes have the blank client.
    SELECT coalesce(sum(f.requests), 0) INTO future_requests
    FROM public.api_keys AS k
    CROSS JOIN LATERAL (
        SELECT count(*) AS requests
        FROM public.request_log AS l
        WHERE l.client_id = coalesce(k.client_id, '00000000-0000-0000-0000-000000000000')
            AND l.key_id = k.id
            AND l.at > statement_timestamp() + interval '1 second'
    ) AS f;
    SELECT max(i.finished_at) INTO last_import
    FROM public.imports AS i;
END;
$$;
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION maintain_request_log, merge_leftover_changes, index_search_documents, read_health FROM PUBLIC;
GRANT EXECUTE ON FUNCTION maintain_request_log, merge_leftover_changes, index_search_documents, read_health TO clientintel_server;

-- The oldest schema version whose servers can also serve this schema. A migration
-- that removes what older servers need replaces this function with a higher number.
CREATE FUNCTION oldest_served_version() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 7;

-- +goose Down
DROP FUNCTION oldest_served_version;
DROP FUNCTION read_health;
DROP TABLE imports;
DROP FUNCTION index_search_documents;
DROP FUNCTION merge_leftover_changes;
DROP FUNCTION maintain_request_log;
-- The partitions that were made go with their tables.
