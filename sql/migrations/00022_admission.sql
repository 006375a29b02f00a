-- Admission at half the cost: a group of requests takes a statement for each
-- step, and the log alone is the window. Locks api_keys for a moment.

-- +goose Up

-- The head of a key's log was kept in its row as well. It is the log's last row
-- now, and a request writes that row only. An admission of the earlier kind that
-- is under way fails for want of the columns: the two kinds take different locks.
ALTER TABLE api_keys DROP COLUMN last_seq, DROP COLUMN last_at;

-- keep_request_log as it was, but that new partitions leave room on a page for
-- the outcomes of its rows: no index has to follow them elsewhere.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_request_log(retention interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    day date;
    part record;
BEGIN
    -- One at a time; who comes second has nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel keep_request_log', 0)) THEN
        RETURN;
    END IF;
    FOR day IN SELECT today + n FROM generate_series(0, 2) AS n LOOP
        IF to_regclass(format('public.request_log_%s', to_char(day, 'YYYYMMDD'))) IS NULL
            AND NOT EXISTS (
                SELECT FROM public.request_log_rest AS r
                WHERE r.at >= day::timestamp AT TIME ZONE 'UTC'
                    AND r.at < (day + 1)::timestamp AT TIME ZONE 'UTC'
            )
        THEN
            EXECUTE format(
                'CREATE TABLE public.request_log_%s PARTITION OF public.request_log FOR VALUES FROM (%L) TO (%L) WITH (fillfactor = 70)',
                to_char(day, 'YYYYMMDD'),
                day::timestamp AT TIME ZONE 'UTC',
                (day + 1)::timestamp AT TIME ZONE 'UTC'
            );
        END IF;
    END LOOP;
    FOR part IN
        SELECT c.oid::regclass AS name, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
        FROM pg_inherits AS h
        JOIN pg_class AS c ON c.oid = h.inhrelid
        WHERE h.inhparent = 'public.request_log'::regclass
            AND c.relname ~ '^request_log_[0-9]{8}$'
    LOOP
        IF (part.day + 1)::timestamp AT TIME ZONE 'UTC' < now() - retention THEN
            EXECUTE format('DROP TABLE %s', part.name);
        END IF;
    END LOOP;
    DELETE FROM public.request_log_rest AS r WHERE r.at < now() - retention;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
DO $$
DECLARE
    part regclass;
BEGIN
    FOR part IN SELECT h.inhrelid::regclass FROM pg_inherits AS h WHERE h.inhparent = 'request_log'::regclass LOOP
        EXECUTE format('ALTER TABLE %s SET (fillfactor = 70)', part);
    END LOOP;
END;
$$;
-- +goose StatementEnd

-- admit authenticates and counts a group of requests, in one transaction of its
-- own at READ COMMITTED, and notes how earlier ones ended.
--
-- Each request is a prefix, the SHA-256 of the secret it carries and its route.
-- A verdict comes back for each: admitted, limited, invalid, revoked, expired;
-- with the key's client and scopes when the secret was right, the place of its
-- row in the log, what is left of the window and when the window frees.
--
-- A key's lock is held before its window is read, and every statement takes a
-- new snapshot: a single one would count the window as it was before it waited.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admit(
    prefixes text[],
    secret_hashes bytea[],
    routes text[],
    max_requests integer,
    time_window interval,
    clock_shift interval,
    done_clients uuid[],
    done_keys uuid[],
    done_ats timestamptz[],
    done_seqs bigint[],
    done_statuses smallint[]
)
RETURNS TABLE (
    ord integer,
    verdict text,
    key_id uuid,
    client_id uuid,
    scopes text[],
    at timestamptz,
    seq bigint,
    remaining integer,
    reset_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
-- Planned once, and whatever the statistics of a partition that is a minute old
-- say: by an index that has the order, never by sorting a window or reading a table.
SET plan_cache_mode = force_generic_plan SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- How exactly api_keys tells when a key was last used; the log tells the rest.
    use_noted_every CONSTANT interval := '1 hour';
    -- Secrets are compared behind a random salt: how long it takes tells nothing of the hash.
    blind CONSTANT bytea := uuid_send(gen_random_uuid());
    known text[];
    locks bigint[];
    clock timestamptz;
    window_start timestamptz;
    first_done timestamptz;
    last_done timestamptz;
    answered integer := 0;
    rest integer[] := '{}';
    k record;
    newest_seq bigint;
    newest_at timestamptz;
    oldest_seq bigint;
    oldest_at timestamptz;
    counted bigint;
    same boolean;
BEGIN
    IF cardinality(done_keys) > 0 THEN
        -- The bounds leave the partitions of other days alone.
        SELECT min(d.at), max(d.at) INTO first_done, last_done FROM unnest(done_ats) AS d (at);
        UPDATE public.request_log AS l
        SET status = d.status
        FROM unnest(done_clients, done_keys, done_ats, done_seqs, done_statuses)
            AS d (client_id, key_id, at, seq, status)
        WHERE l.client_id = d.client_id
            AND l.key_id = d.key_id
            AND l.at = d.at
            AND l.seq = d.seq
            AND l.at BETWEEN first_done AND last_done;
    END IF;

    -- Keys are locked in one order, or two groups could wait for each other. An
    -- advisory lock writes nothing, and no operator's transaction holds it up.
    SELECT
        array_agg(coalesce(a.prefix, '') ORDER BY r.ord),
        array_agg(DISTINCT hashtextextended(coalesce(a.prefix, ''), 600))
    INTO known, locks
    FROM unnest(prefixes) WITH ORDINALITY AS r (prefix, ord)
    LEFT JOIN public.api_keys AS a ON a.prefix = r.prefix;
    PERFORM pg_advisory_xact_lock(r.lock) FROM unnest(locks) AS r (lock);

    -- Nearly every request is plain: its key in force and in use, each secret
    -- right, room for all. These are counted together.
    clock := clock_timestamp() + clock_shift;
    window_start := clock - time_window;
    FOR ord, verdict, key_id, client_id, scopes, at, seq, remaining, reset_at IN
        WITH judged AS MATERIALIZED (
            SELECT
                m.ord,
                g.id,
                g.client_id,
                g.scopes,
                g.in_force
                    AND newest.at <= clock
                    AND newest.seq - oldest.seq + 1 + g.asked <= max_requests AS plain,
                newest.seq + m.nth AS seq,
                (max_requests - (newest.seq - oldest.seq + m.nth))::integer AS remaining,
                oldest.at + time_window AS reset_at
            FROM (
                SELECT
                    a.id,
                    coalesce(a.client_id, nobody) AS client_id,
                    a.scopes,
                    a.prefix <> ''
                        AND bool_and(sha256(a.secret_hash || blind) = sha256(r.secret_hash || blind))
                        AND (a.revoked_at IS NULL OR a.revoked_at > clock)
                        AND (a.expires_at IS NULL OR a.expires_at > clock)
                        AND a.last_used_at > clock - use_noted_every AS in_force,
                    count(*) AS asked,
                    array_agg(r.ord::integer) AS ords
                FROM unnest(known, secret_hashes) WITH ORDINALITY AS r (prefix, secret_hash, ord)
                JOIN public.api_keys AS a ON a.prefix = r.prefix
                GROUP BY a.prefix
            ) AS g
            LEFT JOIN LATERAL (
                -- Not bounded above: the clock may have been set back since.
                SELECT l.at, l.seq
                FROM public.request_log AS l
                WHERE l.client_id = g.client_id
                    AND l.key_id = g.id
                    AND l.at > window_start
                ORDER BY l.at DESC, l.seq DESC
                LIMIT 1
            ) AS newest ON true
            LEFT JOIN LATERAL (
                SELECT l.at, l.seq
                FROM public.request_log AS l
                WHERE l.client_id = g.client_id
                    AND l.key_id = g.id
                    AND l.at > window_start
                    AND l.at <= clock
                ORDER BY l.at, l.seq
                LIMIT 1
            ) AS oldest ON true
            CROSS JOIN LATERAL unnest(g.ords) WITH ORDINALITY AS m (ord, nth)
        ), logged AS (
            INSERT INTO public.request_log (client_id, key_id, at, seq, route)
            SELECT j.client_id, j.id, clock, j.seq, routes[j.ord]
            FROM judged AS j
            WHERE j.plain
        )
        SELECT
            j.ord, CASE WHEN j.plain THEN 'admitted' END, j.id, j.client_id, j.scopes,
            clock, j.seq, j.remaining, j.reset_at
        FROM judged AS j
    LOOP
        answered := answered + 1;
        IF verdict IS NULL THEN
            rest := rest || ord;
        ELSE
            RETURN NEXT;
        END IF;
    END LOOP;
    IF answered < cardinality(prefixes) THEN
        RAISE serialization_failure USING MESSAGE = 'a key was deleted meanwhile';
    END IF;

    -- The others, one by one; those of one key in their order.
    FOREACH ord IN ARRAY rest LOOP
        SELECT a.prefix, a.id, a.client_id, coalesce(a.client_id, nobody) AS logged_client, a.secret_hash,
            a.scopes, a.revoked_at, a.expires_at, a.last_used_at
        INTO STRICT k
        FROM public.api_keys AS a
        WHERE a.prefix = known[ord];

        same := sha256(k.secret_hash || blind) = sha256(secret_hashes[ord] || blind) AND k.prefix <> '';

        clock := clock_timestamp() + clock_shift;
        window_start := clock - time_window;
        SELECT l.at, l.seq INTO newest_at, newest_seq
        FROM public.request_log AS l
        WHERE l.client_id = k.logged_client
            AND l.key_id = k.id
            AND l.at > window_start
        ORDER BY l.at DESC, l.seq DESC
        LIMIT 1;
        IF NOT FOUND OR NOT same THEN
            -- Idle for longer than the window, or new. Looked for after every wrong
            -- secret, so that one takes as long for each prefix, known or not.
            SELECT l.at, l.seq INTO newest_at, newest_seq
            FROM public.request_log AS l
            WHERE l.client_id = k.logged_client
                AND l.key_id = k.id
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1;
        END IF;
        -- A key's time never runs backwards.
        clock := greatest(clock, newest_at);
        window_start := clock - time_window;
        SELECT l.at, l.seq INTO oldest_at, oldest_seq
        FROM public.request_log AS l
        WHERE l.client_id = k.logged_client
            AND l.key_id = k.id
            AND l.at > window_start
            AND l.at <= clock
        ORDER BY l.at, l.seq
        LIMIT 1;
        counted := coalesce(newest_seq - oldest_seq + 1, 0);

        key_id := k.id;
        client_id := NULL;
        scopes := NULL;
        at := clock;
        seq := NULL;
        remaining := greatest(max_requests - counted, 0);
        reset_at := coalesce(oldest_at, clock) + time_window;
        verdict := CASE
            WHEN NOT same THEN 'invalid'
            WHEN k.revoked_at <= clock THEN 'revoked'
            WHEN k.expires_at <= clock THEN 'expired'
            WHEN counted >= max_requests THEN 'limited'
            ELSE 'admitted'
        END;
        IF same THEN
            client_id := k.client_id;
            scopes := k.scopes;
        END IF;

        IF verdict = 'limited' THEN
            -- Capacity frees when the row max_requests from the end ages out: the
            -- oldest one, unless rows of failed authentication stand before it.
            IF counted > max_requests THEN
                SELECT l.at + time_window INTO reset_at
                FROM public.request_log AS l
                WHERE l.client_id = k.logged_client
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.at <= clock
                    AND l.seq > newest_seq - max_requests
                ORDER BY l.at, l.seq
                LIMIT 1;
            END IF;
        ELSE
            seq := coalesce(newest_seq, 0) + 1;
            INSERT INTO public.request_log (client_id, key_id, at, seq, route, status)
            VALUES (
                k.logged_client, k.id, clock, seq, routes[ord],
                CASE WHEN verdict = 'admitted' THEN NULL ELSE 401 END
            );
            IF same AND (k.last_used_at > clock - use_noted_every) IS NOT TRUE THEN
                -- Not waited for: an operator may be at work on the row.
                UPDATE public.api_keys AS a
                SET last_used_at = clock
                WHERE a.prefix = (
                    SELECT b.prefix
                    FROM public.api_keys AS b
                    WHERE b.prefix = k.prefix
                    FOR NO KEY UPDATE SKIP LOCKED
                );
            END IF;
            -- Only the newest max_requests rows can matter to a window, so a flood
            -- of failed authentication keeps no more than that.
            IF verdict <> 'admitted' AND counted >= max_requests THEN
                DELETE FROM public.request_log AS l
                WHERE l.client_id = k.logged_client
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.at <= clock
                    AND l.seq <= newest_seq + 1 - max_requests
                    AND l.status = 401;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END;
$$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE api_keys
    ADD COLUMN last_seq bigint NOT NULL DEFAULT 0,
    ADD COLUMN last_at timestamptz NOT NULL DEFAULT '0001-01-01 00:00:00+00';
UPDATE api_keys AS k
SET last_seq = l.seq, last_at = l.at
FROM (SELECT DISTINCT ON (r.key_id) r.key_id, r.seq, r.at FROM request_log AS r ORDER BY r.key_id, r.at DESC, r.seq DESC) AS l
WHERE l.key_id = k.id;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_request_log(retention interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    day date;
    part record;
BEGIN
    -- One at a time; who comes second has nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel keep_request_log', 0)) THEN
        RETURN;
    END IF;
    FOR day IN SELECT today + n FROM generate_series(0, 2) AS n LOOP
        IF to_regclass(format('public.request_log_%s', to_char(day, 'YYYYMMDD'))) IS NULL
            AND NOT EXISTS (
                SELECT FROM public.request_log_rest AS r
                WHERE r.at >= day::timestamp AT TIME ZONE 'UTC'
                    AND r.at < (day + 1)::timestamp AT TIME ZONE 'UTC'
            )
        THEN
            EXECUTE format(
                'CREATE TABLE public.request_log_%s PARTITION OF public.request_log FOR VALUES FROM (%L) TO (%L)',
                to_char(day, 'YYYYMMDD'),
                day::timestamp AT TIME ZONE 'UTC',
                (day + 1)::timestamp AT TIME ZONE 'UTC'
            );
        END IF;
    END LOOP;
    FOR part IN
        SELECT c.oid::regclass AS name, to_date(right(c.relname, 8), 'YYYYMMDD') AS day
        FROM pg_inherits AS h
        JOIN pg_class AS c ON c.oid = h.inhrelid
        WHERE h.inhparent = 'public.request_log'::regclass
            AND c.relname ~ '^request_log_[0-9]{8}$'
    LOOP
        IF (part.day + 1)::timestamp AT TIME ZONE 'UTC' < now() - retention THEN
            EXECUTE format('DROP TABLE %s', part.name);
        END IF;
    END LOOP;
    DELETE FROM public.request_log_rest AS r WHERE r.at < now() - retention;
END;
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admit(
    prefixes text[],
    secret_hashes bytea[],
    routes text[],
    max_requests integer,
    time_window interval,
    clock_shift interval,
    done_clients uuid[],
    done_keys uuid[],
    done_ats timestamptz[],
    done_seqs bigint[],
    done_statuses smallint[]
)
RETURNS TABLE (
    ord integer,
    verdict text,
    key_id uuid,
    client_id uuid,
    scopes text[],
    at timestamptz,
    seq bigint,
    remaining integer,
    reset_at timestamptz
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
-- The plans below depend on the window, never on the values: planned once.
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    req record;
    k public.api_keys%ROWTYPE;
    clock timestamptz;
    window_start timestamptz;
    first_seq bigint;
    first_at timestamptz;
    counted bigint;
    same boolean;
    blind bytea;
    next_seq bigint;
BEGIN
    IF cardinality(done_keys) > 0 THEN
        UPDATE public.request_log AS l
        SET status = d.status
        FROM unnest(done_clients, done_keys, done_ats, done_seqs, done_statuses)
            AS d (client_id, key_id, at, seq, status)
        WHERE l.client_id = d.client_id
            AND l.key_id = d.key_id
            AND l.at = d.at
            AND l.seq = d.seq;
    END IF;

    -- Keys are locked in one order, or two groups could wait for each other.
    FOR req IN
        SELECT r.ord::integer AS ord, coalesce(known.prefix, '') AS prefix, r.secret_hash, r.route
        FROM unnest(prefixes, secret_hashes, routes) WITH ORDINALITY AS r (prefix, secret_hash, route, ord)
        LEFT JOIN public.api_keys AS known ON known.prefix = r.prefix
        ORDER BY 2, 1
    LOOP
        SELECT a.* INTO STRICT k
        FROM public.api_keys AS a
        WHERE a.prefix = req.prefix
        FOR NO KEY UPDATE;

        clock := greatest(clock_timestamp() + clock_shift, k.last_at);
        window_start := clock - time_window;

        first_seq := NULL;
        first_at := NULL;
        SELECT l.seq, l.at INTO first_seq, first_at
        FROM public.request_log AS l
        WHERE l.client_id = coalesce(k.client_id, nobody)
            AND l.key_id = k.id
            AND l.at > window_start
        ORDER BY l.at, l.seq
        LIMIT 1;
        counted := coalesce(k.last_seq - first_seq + 1, 0);

        -- Compared behind a random salt: how long it takes tells nothing of the hash.
        blind := uuid_send(gen_random_uuid());
        same := sha256(k.secret_hash || blind) = sha256(req.secret_hash || blind) AND k.prefix <> '';

        ord := req.ord;
        key_id := k.id;
        client_id := NULL;
        scopes := NULL;
        at := clock;
        seq := NULL;
        remaining := greatest(max_requests - counted, 0);
        reset_at := coalesce(first_at, clock) + time_window;
        verdict := CASE
            WHEN NOT same THEN 'invalid'
            WHEN k.revoked_at IS NOT NULL AND k.revoked_at <= clock THEN 'revoked'
            WHEN k.expires_at <= clock THEN 'expired'
            WHEN counted >= max_requests THEN 'limited'
            ELSE 'admitted'
        END;
        IF same THEN
            client_id := k.client_id;
            scopes := k.scopes;
        END IF;

        IF verdict = 'limited' THEN
            -- Capacity frees when the row max_requests from the end ages out: the
            -- oldest one, unless rows of failed authentication stand before it.
            IF counted > max_requests THEN
                SELECT l.at + time_window INTO reset_at
                FROM public.request_log AS l
                WHERE l.client_id = coalesce(k.client_id, nobody)
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.seq > k.last_seq - max_requests
                ORDER BY l.at, l.seq
                LIMIT 1;
            END IF;
        ELSE
            next_seq := k.last_seq + 1;
            seq := next_seq;
            INSERT INTO public.request_log (client_id, key_id, at, seq, route, status)
            VALUES (
                coalesce(k.client_id, nobody), k.id, clock, next_seq, req.route,
                CASE WHEN verdict = 'admitted' THEN NULL ELSE 401 END
            );
            UPDATE public.api_keys AS a
            SET last_seq = next_seq,
                last_at = clock,
                last_used_at = CASE WHEN same THEN clock ELSE a.last_used_at END
            WHERE a.prefix = k.prefix;
            -- Only the newest max_requests rows can matter to a window, so a flood
            -- of failed authentication keeps no more than that.
            IF verdict <> 'admitted' AND counted >= max_requests THEN
                DELETE FROM public.request_log AS l
                WHERE l.client_id = coalesce(k.client_id, nobody)
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.at <= clock
                    AND l.seq <= next_seq - max_requests
                    AND l.status = 401;
            END IF;
        END IF;
        RETURN NEXT;
    END LOOP;
END;
$$;
-- +goose StatementEnd
