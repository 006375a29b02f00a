-- The server's login can admit only with the product's limit, window and clock. A new view
-- gives the client of a key by the hash of its prefix, so that unverified requests queue by
-- client. Locks nothing: functions are replaced, and a view is new.

-- +goose Up
-- admit authenticates and counts a group of requests, in one transaction of its
-- own at READ COMMITTED. Each request is a prefix, the SHA-256 of the secret that
-- came with it and its route.
--
-- A key's lock is held before its window is read, and every statement takes a
-- new snapshot: a single one would count the window as it was before it waited.
-- So it refuses the stricter isolation levels, whose transactions have one snapshot.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION admit(
    prefixes text[],
    secret_hashes bytea[],
    routes text[],
    max_requests integer,
    time_window interval,
    clock_shift interval
)
RETURNS SETOF admissions
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- Planned once, and whatever the statistics of a partition that is a minute old
-- say: by an index that has the order, never by sorting a window or reading a table.
SET plan_cache_mode = force_generic_plan SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
    -- In the log, requests with an unknown prefix have this client.
    no_client CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- api_keys tells within this when a key was last used; the log tells exactly.
    last_used_precision CONSTANT interval := '1 hour';
    -- Secrets are compared behind a random salt: how long it takes tells nothing of the hash.
    salt CONSTANT bytea := uuid_send(gen_random_uuid());
    clock timestamptz;
    present timestamptz;
    window_start timestamptz;
    answered integer := 0;
    one_by_one integer[] := '{}';
    answer public.admissions;
    i integer;
    k record;
    newest_seq bigint;
    newest_at timestamptz;
    oldest_seq bigint;
    oldest_at timestamptz;
    counted bigint;
    secret_is_right boolean;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit counts at the isolation level read committed only, this transaction is at '
                || current_setting('transaction_isolation'),
            HINT = 'Set default_transaction_isolation of the server''s login to read committed.';
    END IF;
    -- A null compares with nothing: it would be admitted.
    IF (cardinality(prefixes) = cardinality(secret_hashes)
        AND cardinality(prefixes) = cardinality(routes)
        AND array_position(prefixes, NULL) IS NULL
        AND array_position(secret_hashes, NULL) IS NULL
        AND array_position(routes, NULL) IS NULL) IS NOT TRUE
    THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit takes a prefix, a secret''s hash and a route for each request, and no nulls';
    END IF;
    IF (max_requests >= 1 AND time_window > interval '0' AND clock_shift IS NOT NULL) IS NOT TRUE THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit takes a limit of at least 1, a window longer than none and a clock''s shift';
    END IF;
    -- With another limit, window or clock a caller could clear a key's log, or fill it ahead.
    IF (max_requests <> 600 OR time_window <> interval '1 hour' OR clock_shift <> interval '0')
        AND NOT pg_has_role(session_user, current_user, 'MEMBER')
    THEN
        RAISE insufficient_privilege USING
            MESSAGE = 'admit counts 600 requests an hour by the database''s clock, other than for the schema''s owner';
    END IF;

    -- Keys are locked in one order, or two groups could wait for each other. An
    -- advisory lock writes nothing, and no operator's transaction holds it up. The
    -- blank key, which unknown prefixes count towards, comes last, further down.
    -- For one that comes alone an expression does, which is cheaper than a statement.
    IF cardinality(prefixes) <> 1 THEN
        PERFORM pg_advisory_xact_lock(r.lock)
        FROM unnest((
            SELECT array_agg(DISTINCT hashtextextended(p.prefix, 600))
            FROM unnest(prefixes) AS p (prefix)
        )) AS r (lock);
    ELSIF pg_advisory_xact_lock(hashtextextended(prefixes[1], 600)) IS NULL THEN
        RAISE EXCEPTION 'a lock was not taken';
    END IF;

    -- Nearly every request is simple: its key in force and in use, its secret right,
    -- room in the window. One that comes alone is spared what gathers a group.
    clock := clock_timestamp() + clock_shift;
    window_start := clock - time_window;
    IF cardinality(prefixes) = 1 THEN
        SELECT
            1,
            CASE
                WHEN sha256(a.secret_hash || salt) = sha256(secret_hashes[1] || salt)
                    AND a.client_id IS NOT NULL
                    AND coalesce(a.revoked_at > clock, true)
                    AND coalesce(a.expires_at > clock, true)
                    AND a.last_used_at > clock - last_used_precision
                    AND newest.at <= clock
                    AND newest.seq - oldest.seq + 1 < max_requests
                THEN 'admitted'
            END,
            a.id,
            a.client_id,
            a.scopes,
            clock,
            newest.seq + 1,
            max_requests - (newest.seq - oldest.seq + 1),
            oldest.at + time_window
        INTO answer
        FROM public.api_keys AS a
        LEFT JOIN LATERAL (
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1
        ) AS newest ON true
        LEFT JOIN LATERAL (
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
                AND l.at <= clock
            ORDER BY l.at, l.seq
            LIMIT 1
        ) AS oldest ON true
        WHERE a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = prefixes[1]), '');
        IF answer.verdict = 'admitted' THEN
            INSERT INTO public.request_log (client_id, key_id, at, seq, route)
            VALUES (answer.client_id, answer.key_id, clock, answer.seq, routes[1]);
            RETURN NEXT answer;
            RETURN;
        END IF;
    END IF;

    -- A group's simple requests are counted together.
    FOR answer IN
        WITH judged AS MATERIALIZED (
            SELECT
                m.ordinal,
                g.id,
                g.client_id,
                g.scopes,
                g.in_force
                    AND newest.at <= clock
                    AND newest.seq - oldest.seq + 1 + g.requests <= max_requests AS simple,
                newest.seq + m.nth AS seq,
                (max_requests - (newest.seq - oldest.seq + m.nth))::integer AS remaining,
                oldest.at + time_window AS reset_at
            FROM (
                SELECT
                    a.id,
                    coalesce(a.client_id, no_client) AS client_id,
                    a.scopes,
                    a.prefix <> ''
                        AND bool_and(sha256(a.secret_hash || salt) = sha256(r.secret_hash || salt))
                        AND (a.revoked_at IS NULL OR a.revoked_at > clock)
                        AND (a.expires_at IS NULL OR a.expires_at > clock)
                        AND a.last_used_at > clock - last_used_precision AS in_force,
                    count(*) AS requests,
                    array_agg(r.ordinal::integer) AS ordinals
                FROM unnest(prefixes, secret_hashes) WITH ORDINALITY AS r (prefix, secret_hash, ordinal)
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
            CROSS JOIN LATERAL unnest(g.ordinals) WITH ORDINALITY AS m (ordinal, nth)
        ),

        logged AS (
            INSERT INTO public.request_log (client_id, key_id, at, seq, route)
            SELECT j.client_id, j.id, clock, j.seq, routes[j.ordinal]
            FROM judged AS j
            WHERE j.simple
        )

        SELECT
            j.ordinal, CASE WHEN j.simple THEN 'admitted' END, j.id, j.client_id, j.scopes,
            clock, j.seq, j.remaining, j.reset_at
        FROM judged AS j
    LOOP
        answered := answered + 1;
        IF answer.verdict IS NULL THEN
            one_by_one := one_by_one || answer.ordinal;
        ELSE
            RETURN NEXT answer;
        END IF;
    END LOOP;
    IF answered < cardinality(prefixes) THEN
        RAISE serialization_failure USING MESSAGE = 'a key was deleted meanwhile';
    END IF;

    -- The others; those of one key in their order.
    FOREACH i IN ARRAY one_by_one LOOP
        SELECT a.prefix, a.id, a.client_id, coalesce(a.client_id, no_client) AS logged_client, a.secret_hash,
            a.scopes, a.revoked_at, a.expires_at, a.last_used_at
        INTO STRICT k
        FROM public.api_keys AS a
        WHERE a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = prefixes[i]), '');
        IF k.prefix = '' THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('', 600));
        END IF;

        secret_is_right := sha256(k.secret_hash || salt) = sha256(secret_hashes[i] || salt) AND k.prefix <> '';

        clock := clock_timestamp() + clock_shift;
        window_start := clock - time_window;
        SELECT l.at, l.seq INTO newest_at, newest_seq
        FROM public.request_log AS l
        WHERE l.client_id = k.logged_client
            AND l.key_id = k.id
            AND l.at > window_start
        ORDER BY l.at DESC, l.seq DESC
        LIMIT 1;
        IF NOT FOUND OR NOT secret_is_right THEN
            -- Idle for longer than the window, or new. Looked for after every wrong
            -- secret, so that one takes as long for each prefix, known or not.
            SELECT l.at, l.seq INTO newest_at, newest_seq
            FROM public.request_log AS l
            WHERE l.client_id = k.logged_client
                AND l.key_id = k.id
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1;
        END IF;
        -- A key's time never runs backwards. Where the clock was set back it stands
        -- still until the present has caught up.
        present := clock;
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

        answer := NULL;
        answer.ordinal := i;
        answer.key_id := k.id;
        answer.at := clock;
        answer.remaining := greatest(max_requests - counted, 0);
        answer.reset_at := coalesce(oldest_at, clock) + time_window;
        answer.verdict := CASE
            WHEN NOT secret_is_right THEN 'invalid'
            WHEN k.revoked_at <= clock THEN 'revoked'
            WHEN k.expires_at <= clock THEN 'expired'
            WHEN counted >= max_requests THEN 'limited'
            ELSE 'admitted'
        END;
        IF secret_is_right THEN
            answer.client_id := k.client_id;
            answer.scopes := k.scopes;
        END IF;

        IF answer.verdict = 'limited' THEN
            -- How long to wait counts from the present.
            answer.at := present;
            -- Capacity frees when the row max_requests from the end ages out: the
            -- oldest one, unless rows of failed authentication come before it.
            IF counted > max_requests THEN
                SELECT l.at + time_window INTO answer.reset_at
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
            answer.seq := coalesce(newest_seq, 0) + 1;
            INSERT INTO public.request_log (client_id, key_id, at, seq, route, status)
            VALUES (
                k.logged_client, k.id, clock, answer.seq, routes[i],
                CASE WHEN answer.verdict = 'admitted' THEN NULL ELSE 401 END
            );
            IF secret_is_right AND (k.last_used_at > clock - last_used_precision) IS NOT TRUE THEN
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
            IF answer.verdict <> 'admitted' AND counted >= max_requests THEN
                DELETE FROM public.request_log AS l
                WHERE l.client_id = k.logged_client
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.at <= clock
                    AND l.seq <= newest_seq + 1 - max_requests
                    AND l.status = 401;
            END IF;
        END IF;
        RETURN NEXT answer;
    END LOOP;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_statuses(clock_shift interval, key_ids uuid[], seqs bigint[], statuses smallint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF clock_shift IS DISTINCT FROM interval '0' AND NOT pg_has_role(session_user, current_user, 'MEMBER') THEN
        RAISE insufficient_privilege USING
            MESSAGE = 'record_statuses goes by the database''s clock, other than for the schema''s owner';
    END IF;
    -- A crash can lose a status, never a counted request.
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO public.request_statuses (recorded_at, key_ids, seqs, statuses)
    VALUES (clock_timestamp() + clock_shift, key_ids, seqs, statuses);
END;
$$;
-- +goose StatementEnd

-- The client of each key by the hash of its prefix, from which neither prefix nor secret
-- can be derived. The view reads with its owner's rights; the server reads nothing else of
-- keys.
CREATE VIEW key_clients WITH (security_invoker = false) AS
SELECT sha256(convert_to(k.prefix, 'UTF8')) AS prefix_hash, k.client_id::uuid AS client_id, k.last_used_at
FROM api_keys AS k
WHERE k.client_id IS NOT NULL;

COMMENT ON VIEW key_clients IS 'The client of each key, by the SHA-256 of its prefix.';

GRANT SELECT ON key_clients TO clientintel_server;

-- +goose Down
DROP VIEW key_clients;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION record_statuses(clock_shift interval, key_ids uuid[], seqs bigint[], statuses smallint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- A crash can lose a status, never a counted request.
    PERFORM set_config('synchronous_commit', 'off', true);
    INSERT INTO public.request_statuses (recorded_at, key_ids, seqs, statuses)
    VALUES (clock_timestamp() + clock_shift, key_ids, seqs, statuses);
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
    clock_shift interval
)
RETURNS SETOF admissions
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- Planned once, and whatever the statistics of a partition that is a minute old
-- say: by an index that has the order, never by sorting a window or reading a table.
SET plan_cache_mode = force_generic_plan SET enable_sort = off SET enable_seqscan = off AS $$
DECLARE
    -- In the log, requests with an unknown prefix have this client.
    no_client CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
    -- api_keys tells within this when a key was last used; the log tells exactly.
    last_used_precision CONSTANT interval := '1 hour';
    -- Secrets are compared behind a random salt: how long it takes tells nothing of the hash.
    salt CONSTANT bytea := uuid_send(gen_random_uuid());
    clock timestamptz;
    present timestamptz;
    window_start timestamptz;
    answered integer := 0;
    one_by_one integer[] := '{}';
    answer public.admissions;
    i integer;
    k record;
    newest_seq bigint;
    newest_at timestamptz;
    oldest_seq bigint;
    oldest_at timestamptz;
    counted bigint;
    secret_is_right boolean;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit counts at the isolation level read committed only, this transaction is at '
                || current_setting('transaction_isolation'),
            HINT = 'Set default_transaction_isolation of the server''s login to read committed.';
    END IF;
    -- A null compares with nothing: it would be admitted.
    IF (cardinality(prefixes) = cardinality(secret_hashes)
        AND cardinality(prefixes) = cardinality(routes)
        AND array_position(prefixes, NULL) IS NULL
        AND array_position(secret_hashes, NULL) IS NULL
        AND array_position(routes, NULL) IS NULL) IS NOT TRUE
    THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit takes a prefix, a secret''s hash and a route for each request, and no nulls';
    END IF;
    IF (max_requests >= 1 AND time_window > interval '0' AND clock_shift IS NOT NULL) IS NOT TRUE THEN
        RAISE object_not_in_prerequisite_state USING
            MESSAGE = 'admit takes a limit of at least 1, a window longer than none and a clock''s shift';
    END IF;

    -- Keys are locked in one order, or two groups could wait for each other. An
    -- advisory lock writes nothing, and no operator's transaction holds it up. The
    -- blank key, which unknown prefixes count towards, comes last, further down.
    PERFORM pg_advisory_xact_lock(r.lock)
    FROM unnest((
        SELECT array_agg(DISTINCT hashtextextended(p.prefix, 600))
        FROM unnest(prefixes) AS p (prefix)
    )) AS r (lock);

    -- Nearly every request is simple: its key in force and in use, its secret right,
    -- room in the window. One that comes alone is spared what gathers a group.
    clock := clock_timestamp() + clock_shift;
    window_start := clock - time_window;
    IF cardinality(prefixes) = 1 THEN
        SELECT
            1,
            CASE
                WHEN sha256(a.secret_hash || salt) = sha256(secret_hashes[1] || salt)
                    AND a.client_id IS NOT NULL
                    AND coalesce(a.revoked_at > clock, true)
                    AND coalesce(a.expires_at > clock, true)
                    AND a.last_used_at > clock - last_used_precision
                    AND newest.at <= clock
                    AND newest.seq - oldest.seq + 1 < max_requests
                THEN 'admitted'
            END,
            a.id,
            a.client_id,
            a.scopes,
            clock,
            newest.seq + 1,
            max_requests - (newest.seq - oldest.seq + 1),
            oldest.at + time_window
        INTO answer
        FROM public.api_keys AS a
        LEFT JOIN LATERAL (
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1
        ) AS newest ON true
        LEFT JOIN LATERAL (
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
                AND l.at <= clock
            ORDER BY l.at, l.seq
            LIMIT 1
        ) AS oldest ON true
        WHERE a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = prefixes[1]), '');
        IF answer.verdict = 'admitted' THEN
            INSERT INTO public.request_log (client_id, key_id, at, seq, route)
            VALUES (answer.client_id, answer.key_id, clock, answer.seq, routes[1]);
            RETURN NEXT answer;
            RETURN;
        END IF;
    END IF;

    -- A group's simple requests are counted together.
    FOR answer IN
        WITH judged AS MATERIALIZED (
            SELECT
                m.ordinal,
                g.id,
                g.client_id,
                g.scopes,
                g.in_force
                    AND newest.at <= clock
                    AND newest.seq - oldest.seq + 1 + g.requests <= max_requests AS simple,
                newest.seq + m.nth AS seq,
                (max_requests - (newest.seq - oldest.seq + m.nth))::integer AS remaining,
                oldest.at + time_window AS reset_at
            FROM (
                SELECT
                    a.id,
                    coalesce(a.client_id, no_client) AS client_id,
                    a.scopes,
                    a.prefix <> ''
                        AND bool_and(sha256(a.secret_hash || salt) = sha256(r.secret_hash || salt))
                        AND (a.revoked_at IS NULL OR a.revoked_at > clock)
                        AND (a.expires_at IS NULL OR a.expires_at > clock)
                        AND a.last_used_at > clock - last_used_precision AS in_force,
                    count(*) AS requests,
                    array_agg(r.ordinal::integer) AS ordinals
                FROM unnest(prefixes, secret_hashes) WITH ORDINALITY AS r (prefix, secret_hash, ordinal)
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
            CROSS JOIN LATERAL unnest(g.ordinals) WITH ORDINALITY AS m (ordinal, nth)
        ),

        logged AS (
            INSERT INTO public.request_log (client_id, key_id, at, seq, route)
            SELECT j.client_id, j.id, clock, j.seq, routes[j.ordinal]
            FROM judged AS j
            WHERE j.simple
        )

        SELECT
            j.ordinal, CASE WHEN j.simple THEN 'admitted' END, j.id, j.client_id, j.scopes,
            clock, j.seq, j.remaining, j.reset_at
        FROM judged AS j
    LOOP
        answered := answered + 1;
        IF answer.verdict IS NULL THEN
            one_by_one := one_by_one || answer.ordinal;
        ELSE
            RETURN NEXT answer;
        END IF;
    END LOOP;
    IF answered < cardinality(prefixes) THEN
        RAISE serialization_failure USING MESSAGE = 'a key was deleted meanwhile';
    END IF;

    -- The others; those of one key in their order.
    FOREACH i IN ARRAY one_by_one LOOP
        SELECT a.prefix, a.id, a.client_id, coalesce(a.client_id, no_client) AS logged_client, a.secret_hash,
            a.scopes, a.revoked_at, a.expires_at, a.last_used_at
        INTO STRICT k
        FROM public.api_keys AS a
        WHERE a.prefix = coalesce((SELECT b.prefix FROM public.api_keys AS b WHERE b.prefix = prefixes[i]), '');
        IF k.prefix = '' THEN
            PERFORM pg_advisory_xact_lock(hashtextextended('', 600));
        END IF;

        secret_is_right := sha256(k.secret_hash || salt) = sha256(secret_hashes[i] || salt) AND k.prefix <> '';

        clock := clock_timestamp() + clock_shift;
        window_start := clock - time_window;
        SELECT l.at, l.seq INTO newest_at, newest_seq
        FROM public.request_log AS l
        WHERE l.client_id = k.logged_client
            AND l.key_id = k.id
            AND l.at > window_start
        ORDER BY l.at DESC, l.seq DESC
        LIMIT 1;
        IF NOT FOUND OR NOT secret_is_right THEN
            -- Idle for longer than the window, or new. Looked for after every wrong
            -- secret, so that one takes as long for each prefix, known or not.
            SELECT l.at, l.seq INTO newest_at, newest_seq
            FROM public.request_log AS l
            WHERE l.client_id = k.logged_client
                AND l.key_id = k.id
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1;
        END IF;
        -- A key's time never runs backwards. Where the clock was set back it stands
        -- still until the present has caught up.
        present := clock;
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

        answer := NULL;
        answer.ordinal := i;
        answer.key_id := k.id;
        answer.at := clock;
        answer.remaining := greatest(max_requests - counted, 0);
        answer.reset_at := coalesce(oldest_at, clock) + time_window;
        answer.verdict := CASE
            WHEN NOT secret_is_right THEN 'invalid'
            WHEN k.revoked_at <= clock THEN 'revoked'
            WHEN k.expires_at <= clock THEN 'expired'
            WHEN counted >= max_requests THEN 'limited'
            ELSE 'admitted'
        END;
        IF secret_is_right THEN
            answer.client_id := k.client_id;
            answer.scopes := k.scopes;
        END IF;

        IF answer.verdict = 'limited' THEN
            -- How long to wait counts from the present.
            answer.at := present;
            -- Capacity frees when the row max_requests from the end ages out: the
            -- oldest one, unless rows of failed authentication come before it.
            IF counted > max_requests THEN
                SELECT l.at + time_window INTO answer.reset_at
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
            answer.seq := coalesce(newest_seq, 0) + 1;
            INSERT INTO public.request_log (client_id, key_id, at, seq, route, status)
            VALUES (
                k.logged_client, k.id, clock, answer.seq, routes[i],
                CASE WHEN answer.verdict = 'admitted' THEN NULL ELSE 401 END
            );
            IF secret_is_right AND (k.last_used_at > clock - last_used_precision) IS NOT TRUE THEN
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
            IF answer.verdict <> 'admitted' AND counted >= max_requests THEN
                DELETE FROM public.request_log AS l
                WHERE l.client_id = k.logged_client
                    AND l.key_id = k.id
                    AND l.at > window_start
                    AND l.at <= clock
                    AND l.seq <= newest_seq + 1 - max_requests
                    AND l.status = 401;
            END IF;
        END IF;
        RETURN NEXT answer;
    END LOOP;
END;
$$;
-- +goose StatementEnd
