-- API keys, the log of requests that is the rate limiter's window, and the one
-- function through which the server admits a request. Locks nothing: new tables.

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
    -- The head of this key's log: a gapless sequence, so that a window's count
    -- is last_seq - (its first seq) + 1, whatever the window holds.
    last_seq bigint NOT NULL DEFAULT 0,
    last_at timestamptz NOT NULL DEFAULT '0001-01-01 00:00:00+00',
    CONSTRAINT api_keys_only_the_decoy_has_no_client CHECK ((client_id IS NULL) = (prefix = ''))
) WITH (fillfactor = 50);

CREATE INDEX api_keys_of_client ON api_keys (client_id, created_at);

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
CREATE TABLE request_log_rest PARTITION OF request_log DEFAULT;

-- keep_request_log makes the partitions of the coming days and drops those
-- whose last row is older than the retention.
-- +goose StatementBegin
CREATE FUNCTION keep_request_log(retention interval) RETURNS void
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

SELECT keep_request_log(interval '7 days');

-- admit authenticates and counts a group of requests, in one transaction of its
-- own at READ COMMITTED, and notes how earlier ones ended.
--
-- Each request is a prefix, the SHA-256 of the secret it carries and its route.
-- A verdict comes back for each: admitted, limited, invalid, revoked, expired;
-- with the key's client and scopes when the secret was right, the place of its
-- row in the log, what is left of the window and when the window frees.
--
-- Every statement inside takes a new snapshot, after the key's lock is held: a
-- single statement would count the window as it was before it waited.
-- +goose StatementBegin
CREATE FUNCTION admit(
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

-- The secret behind cursors, shared by every server process on this database.
CREATE TABLE server_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL
);
INSERT INTO server_secrets (name, secret)
VALUES ('cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

REVOKE EXECUTE ON FUNCTION admit, keep_request_log FROM PUBLIC;
GRANT EXECUTE ON FUNCTION admit, keep_request_log TO clientintel_server;
GRANT SELECT ON server_secrets TO clientintel_server;

-- +goose Down
DROP TABLE server_secrets;
DROP FUNCTION admit;
DROP FUNCTION keep_request_log;
DROP TABLE request_log;
DROP TABLE api_keys;
