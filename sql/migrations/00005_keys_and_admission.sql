-- API keys, the log of requests that is the rate limiter's window, and the one
-- function through which the server admits requests. Locks nothing: new tables.
--
-- A request writes one row, and finding it again to note its status would cost a
-- quarter of an admission. So statuses are written many at a time beside the log,
-- and the view requests shows both together.

-- +goose Up
-- Found by prefix before any client is known, so the prefix is the key.
CREATE TABLE api_keys (
    prefix text PRIMARY KEY,
    id uuid NOT NULL CONSTRAINT api_keys_id_is_unique UNIQUE,
    client_id uuid REFERENCES clients (id),
    name text NOT NULL,
    secret_hash bytea NOT NULL CONSTRAINT api_keys_secret_hash_is_sha256 CHECK (octet_length(secret_hash) = 32),
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    CONSTRAINT api_keys_only_the_decoy_has_no_client CHECK ((client_id IS NULL) = (prefix = ''))
) WITH (fillfactor = 50);

CREATE INDEX api_keys_of_client ON api_keys (client_id, created_at);

-- What was done to keys, by whom and from where. No row holds a key's text.
CREATE TABLE key_audits (
    client_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    action text NOT NULL CONSTRAINT key_audits_action_is_known CHECK (action IN ('issue', 'rotate', 'revoke', 'import', 'mend-window')),
    key_id uuid NOT NULL,
    -- The database's login and the address that it came from; null for a socket.
    login text NOT NULL DEFAULT session_user,
    address inet DEFAULT inet_client_addr(),
    -- The operating system's account and machine, as the command names them.
    account text NOT NULL,
    detail text NOT NULL,
    PRIMARY KEY (client_id, id)
);

-- Revoked keys whose row is gone: an older export must not bring them back.
CREATE TABLE revoked_keys (
    client_id uuid NOT NULL,
    prefix text NOT NULL,
    revoked_at timestamptz NOT NULL,
    PRIMARY KEY (client_id, prefix)
);

-- An unknown prefix is checked against this row, so that it costs what a known one costs.
INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
VALUES ('', '00000000-0000-0000-0000-000000000000', NULL, 'unknown prefixes',
    sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), '{}');

-- One row a counted request. status is the HTTP status, null until known.
CREATE TABLE request_log (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    at timestamptz NOT NULL,
    seq bigint NOT NULL,
    route text NOT NULL,
    status smallint,
    PRIMARY KEY (client_id, key_id, at, seq)
) PARTITION BY RANGE (at);

-- Takes what no day's partition takes: maintenance late, or a clock far off.
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;

CREATE TABLE request_statuses (
    recorded_at timestamptz NOT NULL,
    key_ids uuid[] NOT NULL,
    seqs bigint[] NOT NULL,
    statuses smallint[] NOT NULL
) PARTITION BY RANGE (recorded_at);

COMMENT ON TABLE request_statuses IS 'How requests of the log ended, many to a row: the n-th of each list belong together.';

CREATE TABLE request_statuses_default PARTITION OF request_statuses DEFAULT;

CREATE VIEW requests WITH (security_invoker = true) AS
SELECT l.client_id, l.key_id, l.at, l.seq, l.route, coalesce(l.status, o.status) AS status
FROM request_log AS l
LEFT JOIN (
    SELECT n.recorded_at, u.key_id, u.seq, u.status
    FROM request_statuses AS n
    CROSS JOIN LATERAL unnest(n.key_ids, n.seqs, n.statuses) AS u (key_id, seq, status)
) AS o
    -- A key that was idle for longer than the log is kept begins at 1 again.
    ON o.key_id = l.key_id AND o.seq = l.seq AND o.recorded_at BETWEEN l.at - interval '1 hour' AND l.at + interval '1 day';

COMMENT ON VIEW requests IS 'The request log with how each request ended: null where that is not noted yet, or was lost with its server.';

-- The row type of admit's answers. It is a table, which stays empty, because sqlc
-- reads the columns of tables and not those of composite types.
CREATE TABLE admissions (
    -- The request's place in its group, from 1.
    ordinal integer NOT NULL,
    verdict text NOT NULL
        CONSTRAINT admissions_verdict_is_known CHECK (verdict IN ('admitted', 'limited', 'invalid', 'revoked', 'expired')),
    key_id uuid NOT NULL,
    -- Null when the secret was wrong, as scopes are.
    client_id uuid,
    scopes text[],
    -- The database's clock at the decision.
    at timestamptz NOT NULL,
    -- The number of the request's row in the log; null when it was not counted.
    seq bigint,
    -- What the window still held, this request included, and when it next frees.
    remaining integer NOT NULL,
    reset_at timestamptz NOT NULL
);

-- admit authenticates and counts a group of requests, in one transaction of its
-- own at READ COMMITTED. Each request is a prefix, the SHA-256 of the secret that
-- came with it and its route.
--
-- A key's lock is held before its window is read, and every statement takes a
-- new snapshot: a single one would count the window as it was before it waited.
-- So it refuses the stricter isolation levels, whose transactions have one snapshot.
-- +goose StatementBegin
CREATE FUNCTION admit(
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
CREATE FUNCTION record_statuses(clock_shift interval, key_ids uuid[], seqs bigint[], statuses smallint[]) RETURNS void
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

-- The client of each key by the hash of its prefix, from which neither prefix nor secret
-- can be derived. The view reads with its owner's rights; the server reads nothing else of
-- keys.
CREATE VIEW key_clients WITH (security_invoker = false) AS
SELECT sha256(convert_to(k.prefix, 'UTF8')) AS prefix_hash, k.client_id::uuid AS client_id, k.last_used_at
FROM api_keys AS k
WHERE k.client_id IS NOT NULL;

COMMENT ON VIEW key_clients IS 'The client of each key, by the SHA-256 of its prefix.';

-- The secret behind cursors, shared by every server process on this database.
CREATE TABLE server_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL
);

INSERT INTO server_secrets (name, secret)
VALUES ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

REVOKE EXECUTE ON FUNCTION admit, record_statuses, maintain_request_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit, record_statuses, maintain_request_log TO clientintel_server;
GRANT SELECT ON key_clients, server_secrets TO clientintel_server;

-- +goose Down
DROP TABLE server_secrets;
DROP VIEW key_clients;
DROP FUNCTION maintain_request_log;
DROP FUNCTION record_statuses;
DROP FUNCTION admit;
DROP TABLE admissions;
DROP VIEW requests;
DROP TABLE request_statuses;
DROP TABLE request_log;
DROP TABLE revoked_keys;
DROP TABLE key_audits;
DROP TABLE api_keys;
