-- How requests ended is noted many at a time, beside the log: finding each one's
-- row again and writing it anew cost a quarter of an admission. The view requests
-- shows both together. Admitting looks keys up once instead of twice.
--
-- Servers of the version before this one cannot admit once this has run: restart
-- them.

-- +goose Up
CREATE TABLE request_outcomes (
    noted_at timestamptz NOT NULL,
    key_ids uuid[] NOT NULL,
    seqs bigint[] NOT NULL,
    statuses smallint[] NOT NULL
) PARTITION BY RANGE (noted_at);

COMMENT ON TABLE request_outcomes IS 'How requests of the log ended, many to a row: the n-th of each list belong together.';

CREATE TABLE request_outcomes_rest PARTITION OF request_outcomes DEFAULT;

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT l.client_id, l.key_id, l.at, l.seq, l.route, coalesce(l.status, o.status) AS status
FROM request_log AS l
LEFT JOIN (
    SELECT n.noted_at, u.key_id, u.seq, u.status
    FROM request_outcomes AS n
    CROSS JOIN LATERAL unnest(n.key_ids, n.seqs, n.statuses) AS u (key_id, seq, status)
) AS o
    -- A key that was idle for longer than the log is kept begins at 1 again.
    ON o.key_id = l.key_id AND o.seq = l.seq AND o.noted_at BETWEEN l.at - interval '1 hour' AND l.at + interval '1 day';

COMMENT ON VIEW requests IS 'The request log with how each request ended: null where that is not noted yet, or was lost with its server.';

-- +goose StatementBegin
CREATE FUNCTION note_outcomes(clock_shift interval, key_ids uuid[], seqs bigint[], statuses smallint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $$
BEGIN
    -- What a crash loses is an outcome, never a counted request.
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO public.request_outcomes (noted_at, key_ids, seqs, statuses)
    VALUES (clock_timestamp() + clock_shift, key_ids, seqs, statuses);
END;
$$;
-- +goose StatementEnd
REVOKE ALL ON FUNCTION note_outcomes(interval, uuid[], bigint[], smallint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_outcomes(interval, uuid[], bigint[], smallint[]) TO clientintel_server;

DROP FUNCTION admit(text[], bytea[], text[], integer, interval, interval, uuid[], uuid[], timestamptz[], bigint[], smallint[]);
-- +goose StatementBegin
CREATE FUNCTION public.admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval) RETURNS TABLE(ord integer, verdict text, key_id uuid, client_id uuid, scopes text[], at timestamp with time zone, seq bigint, remaining integer, reset_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
DECLARE
    nobody CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- How exactly api_keys tells when a key was last used; the log tells the rest.
    use_noted_every CONSTANT interval := '1 hour';
    -- Secrets are compared behind a random salt: how long it takes tells nothing of the hash.
    blind CONSTANT bytea := uuid_send(gen_random_uuid());
    clock timestamptz;
    window_start timestamptz;
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
    -- Keys are locked in one order, or two groups could wait for each other. An
    -- advisory lock writes nothing, and no operator's transaction holds it up. The
    -- blank key, which unknown prefixes count towards, comes last, further down.
    PERFORM pg_advisory_xact_lock(r.lock)
    FROM unnest((
        SELECT array_agg(DISTINCT hashtextextended(p.prefix, 600))
        FROM unnest(prefixes) AS p (prefix)
    )) AS r (lock);

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
                FROM unnest(prefixes, secret_hashes) WITH ORDINALITY AS r (prefix, secret_hash, ord)
                JOIN public.api_keys AS a
                    ON a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = r.prefix), '')
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
        WHERE a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = prefixes[ord]), '');
        IF k.prefix = '' THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('', 600));
        END IF;

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
REVOKE ALL ON FUNCTION admit(text[], bytea[], text[], integer, interval, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit(text[], bytea[], text[], integer, interval, interval) TO clientintel_server;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_request_log(retention interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $_$
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    log record;
    day date;
    begins timestamptz;
    ends timestamptz;
    in_rest boolean;
    part record;
BEGIN
    -- One at a time; who comes second has nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel keep_request_log', 0)) THEN
        RETURN;
    END IF;
    FOR log IN SELECT * FROM (VALUES ('request_log', 'at'), ('request_outcomes', 'noted_at')) AS v (name, moment) LOOP
        FOR day IN SELECT today + n FROM generate_series(0, 2) AS n LOOP
            CONTINUE WHEN to_regclass(format('public.%s_%s', log.name, to_char(day, 'YYYYMMDD'))) IS NOT NULL;
            begins := day::timestamp AT TIME ZONE 'UTC';
            ends := (day + 1)::timestamp AT TIME ZONE 'UTC';
            EXECUTE format(
                'SELECT EXISTS (SELECT FROM public.%1$s_rest AS r WHERE r.%2$I >= $1 AND r.%2$I < $2)', log.name, log.moment)
            INTO in_rest USING begins, ends;
            CONTINUE WHEN in_rest;
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
        EXECUTE format('DELETE FROM public.%s_rest AS r WHERE r.%I < now() - $1', log.name, log.moment) USING retention;
    END LOOP;
END;
$_$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION public.keep_request_log(retention interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    AS $_$
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
$_$;
-- +goose StatementEnd

DROP FUNCTION admit(text[], bytea[], text[], integer, interval, interval);
-- +goose StatementBegin
CREATE FUNCTION public.admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval, done_clients uuid[], done_keys uuid[], done_ats timestamp with time zone[], done_seqs bigint[], done_statuses smallint[]) RETURNS TABLE(ord integer, verdict text, key_id uuid, client_id uuid, scopes text[], at timestamp with time zone, seq bigint, remaining integer, reset_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
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
REVOKE ALL ON FUNCTION admit(text[], bytea[], text[], integer, interval, interval, uuid[], uuid[], timestamptz[], bigint[], smallint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit(text[], bytea[], text[], integer, interval, interval, uuid[], uuid[], timestamptz[], bigint[], smallint[]) TO clientintel_server;

DROP VIEW requests;
DROP FUNCTION note_outcomes(interval, uuid[], bigint[], smallint[]);
DROP TABLE request_outcomes;
