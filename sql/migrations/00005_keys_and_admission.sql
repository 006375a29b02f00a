-- API keys, the log of requests that is the rate limiter's window, the one function
-- through which the server admits requests, and how much each key was used. Locks nothing:
-- new tables.
--
-- The log has a row for each counted request and is kept for days, as nothing but the
-- window needs it. How requests ended is added up by servers (key_usage), which is kept for
-- longer and which admission never reads.

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
    -- The actor who issued it or rotated another one to it.
    created_by text,
    -- What the caller named the change that made it: a repeat makes no second key.
    idempotency_key text,
    CONSTRAINT api_keys_only_the_decoy_has_no_client CHECK ((client_id IS NULL) = (prefix = ''))
) WITH (fillfactor = 50);

CREATE INDEX api_keys_of_client ON api_keys (client_id, created_at);

-- A revocation may be brought forward, never put off or taken back.
-- +goose StatementBegin
CREATE FUNCTION refuse_later_revocation() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'a key that is revoked stays so: issue another one';
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE OF revoked_at ON api_keys
    FOR EACH ROW WHEN (coalesce(new.revoked_at > old.revoked_at, old.revoked_at IS NOT NULL))
    EXECUTE FUNCTION refuse_later_revocation();
ALTER TABLE api_keys ENABLE ALWAYS TRIGGER api_keys_stay_revoked;

-- What was done to keys, by whom, why and from where. No row holds a key's text.
CREATE TABLE key_audits (
    client_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    action text NOT NULL CONSTRAINT key_audits_action_is_known CHECK (action IN ('issue', 'rotate', 'revoke', 'import', 'mend-window', 'purge')),
    key_id uuid NOT NULL,
    -- The database's login and the address that it came from; null for a socket.
    login text NOT NULL DEFAULT session_user,
    address inet DEFAULT inet_client_addr(),
    -- The operating system's account and machine, as the command names them.
    account text NOT NULL,
    -- Who asked, and from which address, where somebody asked the one whose login it is.
    actor text NOT NULL,
    caller_address inet,
    reason text,
    detail text NOT NULL,
    PRIMARY KEY (client_id, id)
);

-- +goose StatementBegin
CREATE FUNCTION refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'rows are added to key_audits, and none is changed or deleted';
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER key_audits_are_only_added BEFORE UPDATE OR DELETE OR TRUNCATE ON key_audits
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
ALTER TABLE key_audits ENABLE ALWAYS TRIGGER key_audits_are_only_added;

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

-- One row a counted request. status is 401 where the key was refused, else null.
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

-- How many requests of a key ended with a status, by hour and operation.
CREATE TABLE key_usage (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (client_id, key_id, hour, route, status)
) PARTITION BY RANGE (hour);

CREATE TABLE key_usage_default PARTITION OF key_usage DEFAULT;

-- Its sums: each key's by day and, under the zero id, those of all keys of a client by day
-- and by hour. A client's use is then some rows for each day or hour, however many keys it has.
CREATE TABLE usage_sums (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    unit text NOT NULL CONSTRAINT usage_sums_unit_is_known CHECK (unit IN ('day', 'hour')),
    at timestamptz NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (client_id, key_id, unit, at, route, status)
) PARTITION BY RANGE (at);

CREATE TABLE usage_sums_default PARTITION OF usage_sums DEFAULT;

-- admit authenticates and counts a group of requests, in one transaction of its
-- own at READ COMMITTED. Each request is a prefix, the SHA-256 of the secret that
-- came with it and its route.
--
-- A key's lock is held before its window is read, and every statement takes a
-- new snapshot: a single one would count the window as it was before it waited.
-- So it refuses the stricter isolation levels, whose transactions have one snapshot.
-- The window's count is the difference of two numbers: the requests of a key are numbered
-- without gaps, from 1 again after a time without any that is longer than the window.
-- +goose StatementBegin
CREATE FUNCTION admit(
    prefixes text[],
    secret_hashes bytea[],
    routes text[],
    max_requests integer,
    time_window interval,
    clock_shift interval
)
RETURNS TABLE (
    -- The request's place in its group, from 1.
    ordinal integer,
    -- 'admitted', 'limited', 'invalid', 'revoked' or 'expired'.
    verdict text,
    key_id uuid,
    -- Null when the secret was wrong, as scopes are.
    client_id uuid,
    scopes text[],
    -- The database's clock at the decision.
    at timestamptz,
    -- What the window still held, this request included, and when it next frees.
    remaining integer,
    reset_at timestamptz
)
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
    keys text[];
    ordinals integer[];
    locked text;
    decided integer := 0;
    present timestamptz;
    window_start timestamptz;
    -- Of the request that is being decided: the row of its key in the log, and how many
    -- requests its window has room for.
    prefix text;
    log_client uuid;
    log_seq bigint;
    room bigint;
    use_is_old boolean;
    -- The key of the request before, and how many of its requests this group has counted.
    key text;
    counted integer;
    logged public.request_log[];
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
    -- advisory lock writes nothing, and no operator's transaction holds it up. Unknown
    -- prefixes count towards the blank key. One request needs no order.
    IF cardinality(prefixes) = 1 THEN
        keys := ARRAY[coalesce((SELECT a.prefix FROM public.api_keys AS a WHERE a.prefix = prefixes[1]), '')];
        ordinals := '{1}';
    ELSE
        SELECT
            array_agg(k.prefix ORDER BY hashtextextended(k.prefix, 600), k.ordinal),
            array_agg(k.ordinal ORDER BY hashtextextended(k.prefix, 600), k.ordinal)
        INTO keys, ordinals
        FROM (
            SELECT coalesce(a.prefix, '') AS prefix, p.ordinal::integer AS ordinal
            FROM unnest(prefixes) WITH ORDINALITY AS p (prefix, ordinal)
            LEFT JOIN public.api_keys AS a ON a.prefix = p.prefix
        ) AS k;
    END IF;
    FOREACH key IN ARRAY keys LOOP
        -- An assignment is cheaper than a statement.
        locked := pg_advisory_xact_lock(hashtextextended(key, 600));
    END LOOP;
    key := NULL;

    present := clock_timestamp() + clock_shift;
    window_start := present - time_window;
    FOR ordinal, key_id, client_id, scopes, verdict, at, reset_at, prefix, log_client, log_seq, room, use_is_old IN
        SELECT
            s.ordinal,
            a.id,
            CASE WHEN c.secret_is_right THEN a.client_id END,
            CASE WHEN c.secret_is_right THEN a.scopes END,
            CASE
                WHEN NOT c.secret_is_right THEN 'invalid'
                WHEN a.revoked_at <= c.clock THEN 'revoked'
                WHEN a.expires_at <= c.clock THEN 'expired'
                ELSE 'admitted'
            END,
            c.clock,
            coalesce(oldest.at, c.clock) + time_window,
            a.prefix,
            coalesce(a.client_id, no_client),
            coalesce(newest.seq, 0) + 1,
            max_requests - coalesce(newest.seq - oldest.seq + 1, 0),
            c.secret_is_right AND (a.last_used_at > c.clock - last_used_precision) IS NOT TRUE
        FROM unnest(keys, ordinals) WITH ORDINALITY AS s (prefix, ordinal, nth)
        JOIN public.api_keys AS a ON a.prefix = s.prefix
        LEFT JOIN LATERAL (
            -- Not bounded above: the clock may have been set back since.
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
            ORDER BY l.at DESC, l.seq DESC
            LIMIT 1
        ) AS newest ON true
        CROSS JOIN LATERAL (
            SELECT
                -- A key's time never runs backwards. Where the clock was set back it stands
                -- still until the present has caught up.
                greatest(present, newest.at) AS clock,
                sha256(a.secret_hash || salt) = sha256(secret_hashes[s.ordinal] || salt) AND a.prefix <> '' AS secret_is_right
        ) AS c
        LEFT JOIN LATERAL (
            SELECT l.at, l.seq
            FROM public.request_log AS l
            WHERE l.client_id = coalesce(a.client_id, no_client)
                AND l.key_id = a.id
                AND l.at > window_start
                AND l.at <= present
            ORDER BY l.at, l.seq
            LIMIT 1
        ) AS oldest ON true
        ORDER BY s.nth
    LOOP
        decided := decided + 1;
        IF key IS DISTINCT FROM prefix THEN
            key := prefix;
            counted := 0;
        END IF;
        IF at > present THEN
            -- Of a clock that was set back the window ends in the future.
            SELECT l.at + time_window, max_requests - (log_seq - l.seq) INTO reset_at, room
            FROM public.request_log AS l
            WHERE l.client_id = log_client
                AND l.key_id = admit.key_id
                AND l.at > admit.at - time_window
            ORDER BY l.at, l.seq
            LIMIT 1;
        END IF;
        room := room - counted;
        remaining := greatest(room, 0);
        IF verdict = 'admitted' AND room <= 0 THEN
            verdict := 'limited';
            -- Capacity frees when the row max_requests from the end ages out: the
            -- oldest one, unless rows of failed authentication come before it.
            IF room < 0 THEN
                reset_at := time_window + coalesce((
                    SELECT l.at
                    FROM public.request_log AS l
                    WHERE l.client_id = log_client
                        AND l.key_id = admit.key_id
                        AND l.at > admit.at - time_window
                        AND l.seq >= log_seq + counted - max_requests
                    ORDER BY l.at, l.seq
                    LIMIT 1
                ), admit.at);
            END IF;
            -- How long to wait counts from the present.
            at := present;
        ELSE
            logged := logged || ROW(
                log_client, key_id, at, log_seq + counted, routes[ordinal], CASE WHEN verdict <> 'admitted' THEN 401 END
            )::public.request_log;
            IF use_is_old THEN
                -- Not waited for: an operator may be at work on the row.
                UPDATE public.api_keys AS a
                SET last_used_at = admit.at
                WHERE a.prefix = (
                    SELECT b.prefix
                    FROM public.api_keys AS b
                    WHERE b.prefix = key
                    FOR NO KEY UPDATE SKIP LOCKED
                );
            END IF;
            -- Only the newest max_requests rows can matter to a window, so a flood
            -- of failed authentication keeps no more than that.
            IF verdict <> 'admitted' AND room <= 0 THEN
                DELETE FROM public.request_log AS l
                WHERE l.client_id = log_client
                    AND l.key_id = admit.key_id
                    AND l.at > admit.at - time_window
                    AND l.seq <= log_seq + counted - max_requests
                    AND l.status = 401;
            END IF;
            counted := counted + 1;
        END IF;
        RETURN NEXT;
    END LOOP;
    IF decided < cardinality(prefixes) THEN
        RAISE serialization_failure USING MESSAGE = 'a key was deleted meanwhile';
    END IF;
    INSERT INTO public.request_log
    SELECT n.* FROM unnest(logged) AS n;
END;
$$;
-- +goose StatementEnd

-- add_key_usage adds up finished requests: the n-th of each list belong together. Rows are
-- written in one order, or two servers could wait for each other. What a server's clock
-- puts into the future is counted in the present hour.
-- +goose StatementBegin
CREATE FUNCTION add_key_usage(key_ids uuid[], hours timestamptz[], routes text[], statuses smallint[], requests bigint[])
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    WITH added AS MATERIALIZED (
        SELECT k.client_id, k.id AS key_id, h.hour, n.route, n.status, sum(n.requests) AS requests
        FROM unnest(key_ids, hours, routes, statuses, requests) AS n (key_id, hour, route, status, requests)
        JOIN public.api_keys AS k ON k.id = n.key_id AND k.client_id IS NOT NULL
        CROSS JOIN LATERAL (SELECT date_trunc('hour', least(n.hour, clock_timestamp()), 'UTC') AS hour) AS h
        WHERE n.requests > 0
        GROUP BY k.client_id, k.id, h.hour, n.route, n.status
    ),

    by_hour AS (
        INSERT INTO public.key_usage AS u (client_id, key_id, hour, route, status, requests)
        SELECT a.client_id, a.key_id, a.hour, a.route, a.status, a.requests
        FROM added AS a
        ORDER BY a.client_id, a.key_id, a.hour, a.route, a.status
        ON CONFLICT (client_id, key_id, hour, route, status) DO UPDATE
        SET requests = u.requests + excluded.requests
        RETURNING u.client_id
    )

    INSERT INTO public.usage_sums AS u (client_id, key_id, unit, at, route, status, requests)
    SELECT a.client_id, o.key_id, o.unit, date_trunc(o.unit, a.hour, 'UTC') AS at, a.route, a.status, sum(a.requests)
    FROM added AS a
    CROSS JOIN LATERAL (
        VALUES
            (a.key_id, 'day'),
            ('00000000-0000-0000-0000-000000000000', 'day'),
            ('00000000-0000-0000-0000-000000000000', 'hour')
    ) AS o (key_id, unit)
    -- After all rows of single keys by the hour are written.
    WHERE (SELECT count(*) FROM by_hour) > 0
    GROUP BY a.client_id, o.key_id, o.unit, date_trunc(o.unit, a.hour, 'UTC'), a.route, a.status
    ORDER BY a.client_id, o.key_id, o.unit, at, a.route, a.status
    ON CONFLICT (client_id, key_id, unit, at, route, status) DO UPDATE
    SET requests = u.requests + excluded.requests;
END;
$$;
-- +goose StatementEnd

-- maintain_request_log makes the coming partitions of the log and of the usage, and drops
-- those whose last row is older than the retention. Nobody who calls it chooses the
-- retention: the log is the rate limiter's window.
-- +goose StatementBegin
CREATE FUNCTION maintain_request_log() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $_$
DECLARE
    kept record;
    begins timestamptz;
    in_default boolean;
    part record;
BEGIN
    -- One at a time; a second call would find nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel maintain_request_log', 0)) THEN
        RETURN;
    END IF;
    FOR kept IN
        SELECT 'request_log' AS name, 'at' AS moment, 'day' AS unit, interval '1 day' AS length, 2 AS ahead, interval '7 days' AS retention
        UNION ALL
        SELECT 'key_usage', 'hour', 'month', interval '1 month', 1, interval '400 days'
        UNION ALL
        SELECT 'usage_sums', 'at', 'month', interval '1 month', 1, interval '400 days'
    LOOP
        FOR begins IN SELECT date_trunc(kept.unit, now()) + n * kept.length FROM generate_series(0, kept.ahead) AS n LOOP
            CONTINUE WHEN to_regclass(format('public.%s_%s', kept.name, to_char(begins, 'YYYYMMDD'))) IS NOT NULL;
            EXECUTE format(
                'SELECT EXISTS (SELECT 1 FROM public.%1$s_default AS r WHERE r.%2$I >= $1 AND r.%2$I < $2)', kept.name, kept.moment)
            INTO in_default USING begins, begins + kept.length;
            CONTINUE WHEN in_default;
            EXECUTE format(
                'CREATE TABLE public.%1$s_%2$s PARTITION OF public.%1$s FOR VALUES FROM (%3$L) TO (%4$L)',
                kept.name, to_char(begins, 'YYYYMMDD'), begins, begins + kept.length);
        END LOOP;
        FOR part IN
            SELECT c.oid::regclass AS name, to_timestamp(right(c.relname, 8), 'YYYYMMDD') AS begins
            FROM pg_inherits AS h
            JOIN pg_class AS c ON c.oid = h.inhrelid
            WHERE h.inhparent = format('public.%I', kept.name)::regclass
                AND c.relname ~ '_[0-9]{8}$'
        LOOP
            IF part.begins + kept.length < now() - kept.retention THEN
                EXECUTE format('DROP TABLE %s', part.name);
            END IF;
        END LOOP;
        EXECUTE format('DELETE FROM public.%s_default AS r WHERE r.%I < now() - $1', kept.name, kept.moment) USING kept.retention;
    END LOOP;
END;
$_$;
-- +goose StatementEnd

-- So that the first server finds them.
SELECT maintain_request_log();

-- The secret behind cursors, shared by every server process on this database.
CREATE TABLE server_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL
);

INSERT INTO server_secrets (name, secret)
VALUES ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

REVOKE EXECUTE ON FUNCTION admit, add_key_usage, maintain_request_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit, add_key_usage, maintain_request_log TO clientintel_server;
GRANT SELECT ON server_secrets TO clientintel_server;

-- +goose Down
DROP TABLE server_secrets;
DROP FUNCTION maintain_request_log;
DROP FUNCTION add_key_usage;
DROP FUNCTION admit;
DROP TABLE usage_sums;
DROP TABLE key_usage;
DROP TABLE request_log;
DROP TABLE revoked_keys;
DROP TABLE key_audits;
DROP FUNCTION refuse_audit_change;
DROP TABLE api_keys;
DROP FUNCTION refuse_later_revocation;
