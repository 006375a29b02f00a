-- The schema as the migrations leave it, to read. Generated: change sql/migrations.

--
-- PostgreSQL database dump
--



SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


--
-- Name: add_key_usage(uuid[], timestamp with time zone[], text[], smallint[], bigint[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.add_key_usage(key_ids uuid[], hours timestamp with time zone[], routes text[], statuses smallint[], requests bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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


--
-- Name: admit(text[], bytea[], text[], integer, interval, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval) RETURNS TABLE(ordinal integer, verdict text, key_id uuid, client_id uuid, scopes text[], at timestamp with time zone, remaining integer, reset_at timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_sort TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
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


--
-- Name: audit_measurement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_measurement(audited_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text, OUT broken_at timestamp with time zone, OUT broken_reason text, OUT took interval) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    began CONSTANT timestamptz := clock_timestamp();
    ended timestamptz;
    consistent boolean;
BEGIN
    PERFORM public.mark_broken_by_disabled_triggers();
    SELECT f.* INTO members, found_members, misjudged, fault
    FROM public.check_measurement(audited_client) AS f;
    ended := clock_timestamp();
    took := ended - began;
    consistent := fault IS NULL OR (SELECT c.measurement_mode FROM public.clients AS c WHERE c.id = audited_client) <> 'canonical';
    UPDATE public.measurement_states AS s
    SET audited_at = ended,
        audit_took = audit_measurement.took,
        broken_at = CASE WHEN consistent THEN s.broken_at ELSE coalesce(s.broken_at, ended) END,
        broken_reason = CASE WHEN consistent THEN s.broken_reason ELSE coalesce(s.broken_reason, audit_measurement.fault) END
    WHERE s.client_id = audited_client
    RETURNING s.broken_at, s.broken_reason INTO broken_at, broken_reason;
END;
$$;


--
-- Name: audit_next_measurement(interval, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.audit_next_measurement(every interval, rest integer, OUT client_id uuid, OUT fault text, OUT took interval, OUT idle interval, OUT broken_clients bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    idle := every;
    IF pg_try_advisory_xact_lock(hashtextextended('clientintel audit', 0)) THEN
        PERFORM public.mark_broken_by_disabled_triggers();
        SELECT max(s.audited_at + rest * s.audit_took) - clock_timestamp() INTO idle
        FROM public.measurement_states AS s;
        IF coalesce(idle <= interval '0', true) THEN
            SELECT s.client_id, s.audited_at + every - clock_timestamp() INTO client_id, idle
            FROM public.measurement_states AS s
            JOIN public.clients AS c ON c.id = s.client_id
            WHERE c.measurement_mode = 'canonical'
                AND s.broken_at IS NULL
            ORDER BY s.audited_at NULLS FIRST, s.client_id
            LIMIT 1;
            IF idle > interval '0' THEN
                client_id := NULL;
            END IF;
            IF client_id IS NOT NULL THEN
                SELECT a.fault, a.took, rest * a.took INTO fault, took, idle
                FROM public.audit_measurement(client_id) AS a;
            END IF;
        END IF;
    END IF;
    idle := coalesce(idle, every);
    SELECT count(*) INTO broken_clients
    FROM public.clients AS c
    LEFT JOIN public.measurement_states AS s ON s.client_id = c.id
    WHERE c.measurement_mode = 'canonical'
        AND (s.client_id IS NULL OR s.broken_at IS NOT NULL);
END;
$$;


--
-- Name: begin_read(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_read(client uuid, timeout text, OUT as_of timestamp with time zone, OUT mode text, OUT contract_version text, OUT members bigint, OUT broken_at timestamp with time zone) RETURNS record
    LANGUAGE plpgsql
    AS $$
BEGIN
    -- Assignments, which are cheaper than statements.
    mode := set_config('clientintel.client_id', client::text, true);
    mode := set_config('statement_timeout', timeout, true);
    as_of := statement_timestamp();
    SELECT
        c.measurement_mode,
        c.measurement_contract_version,
        s.members + (
            SELECT coalesce(sum(m.members), 0)
            FROM public.measurement_changes AS m
            WHERE m.client_id = client
        ),
        s.broken_at
    INTO mode, contract_version, members, broken_at
    FROM public.clients AS c
    LEFT JOIN public.measurement_states AS s ON s.client_id = c.id
    WHERE c.id = client;
END;
$$;


--
-- Name: campaign_id_by_slug(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.campaign_id_by_slug(client uuid, campaign_slug text) RETURNS uuid
    LANGUAGE plpgsql STABLE STRICT
    AS $$
BEGIN
    RETURN (
        SELECT c.id
        FROM public.campaigns AS c
        WHERE c.client_id = client
            AND c.slug = campaign_slug
    );
END;
$$;


--
-- Name: check_campaign_of_interview(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.check_campaign_of_interview() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    -- The row as it is now: a later statement may have changed or deleted it.
    -- The campaign stays locked until the commit, as a foreign key would have it.
    IF EXISTS (
        SELECT 1 FROM public.interviews AS i
        WHERE i.client_id = NEW.client_id
            AND i.id = NEW.id
            AND i.campaign_id = NEW.campaign_id
            AND i.campaign_live = NEW.campaign_live
    ) THEN
        PERFORM FROM public.campaigns AS c
        WHERE c.client_id = NEW.client_id
            AND c.id = NEW.campaign_id
            AND c.live = NEW.campaign_live
        FOR KEY SHARE;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'client % has no campaign % with live = %', NEW.client_id, NEW.campaign_id, NEW.campaign_live
                USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'interviews_campaign_is_the_clients_own';
        END IF;
    END IF;
    RETURN NULL;
END;
$$;


--
-- Name: check_interviews_of_campaign(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.check_interviews_of_campaign() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.client_id, NEW.id, NEW.live) = (OLD.client_id, OLD.id, OLD.live) THEN
        RETURN NULL;
    END IF;
    -- Interviews that came since an older snapshot would be overlooked.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'in replica mode a campaign can end, go live or go away at READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM public.campaigns AS c
        WHERE c.client_id = OLD.client_id
            AND c.id = OLD.id
            AND c.live = OLD.live
    ) AND EXISTS (
        SELECT 1 FROM public.interviews AS i
        WHERE i.client_id = OLD.client_id
            AND i.campaign_id = OLD.id
            AND i.campaign_live = OLD.live
    ) THEN
        RAISE EXCEPTION 'interviews of client % still refer to campaign % with live = %', OLD.client_id, OLD.id, OLD.live
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'interviews_campaign_is_the_clients_own';
    END IF;
    RETURN NULL;
END;
$$;


--
-- Name: check_measurement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.check_measurement(examined_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    d record;
    disabled_triggers text;
BEGIN
    PERFORM public.lock_measurement(examined_client);
    SELECT string_agg(format('%s on %s', t.name, t.relation), ', ' ORDER BY t.name) INTO disabled_triggers
    FROM public.measurement_triggers AS t
    WHERE NOT t.enabled;
    SELECT x.* INTO STRICT d FROM public.compare_measurement(examined_client) AS x;
    members := CASE WHEN d.has_state THEN d.members END;
    found_members := d.found_members;
    misjudged := d.misjudged;
    fault := nullif(concat_ws('; ',
        CASE WHEN disabled_triggers IS NOT NULL THEN 'switched off: ' || disabled_triggers END,
        CASE WHEN NOT d.has_state THEN 'the state is missing' END,
        CASE WHEN d.misjudged > 0 THEN format(
            '%s interviews are not judged as their facts are, %s among them', d.misjudged, d.misjudged_example
        ) END,
        CASE WHEN d.has_state AND d.members <> d.found_members THEN format(
            'the state counts %s members, the facts %s', d.members, d.found_members
        ) END,
        CASE WHEN d.has_state AND d.members = d.found_members AND d.fingerprint <> d.found_fingerprint
            THEN 'the state counts other members than the facts' END
    ), '');
END;
$$;


--
-- Name: check_search_triggers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.check_search_triggers() RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF (
        SELECT count(*)
        FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = 'public.interviews'::regclass
            AND t.tgname IN (
                'maintain_search_documents_on_insert',
                'maintain_search_documents_on_update',
                'maintain_search_documents_on_delete'
            )
            AND t.tgenabled = 'A'
    ) <> 3 THEN
        RAISE EXCEPTION 'a trigger that keeps search documents is switched off'
            USING ERRCODE = 'object_not_in_prerequisite_state',
                HINT = 'ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_…; then SELECT rebuild_search_documents(client) for each client.';
    END IF;
END;
$$;


--
-- Name: compare_measurement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.compare_measurement(compared_client uuid) RETURNS TABLE(has_state boolean, members bigint, fingerprint numeric, found_members bigint, found_fingerprint numeric, misjudged bigint, misjudged_example text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET max_parallel_workers_per_gather TO '0'
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT
        s.client_id IS NOT NULL AS has_state,
        coalesce(s.members, 0) + c.members AS members,
        coalesce(s.fingerprint, 0) + c.fingerprint AS fingerprint,
        f.members AS found_members,
        f.fingerprint AS found_fingerprint,
        f.misjudged,
        f.misjudged_example
    FROM (
        SELECT
            count(*) FILTER (WHERE a.passes) AS members,
            coalesce(
                sum(public.member_fingerprint(a.id, a.created_at, a.status, a.campaign_id)) FILTER (WHERE a.passes), 0
            ) AS fingerprint,
            count(*) FILTER (WHERE a.passes IS DISTINCT FROM a.usable) AS misjudged,
            min(a.id::text) FILTER (WHERE a.passes IS DISTINCT FROM a.usable) AS misjudged_example
        FROM public.audited_interviews AS a
        WHERE a.client_id = compared_client
    ) AS f
    CROSS JOIN (
        SELECT coalesce(sum(m.members), 0)::bigint AS members, coalesce(sum(m.fingerprint), 0) AS fingerprint
        FROM public.measurement_changes AS m
        WHERE m.client_id = compared_client
    ) AS c
    LEFT JOIN public.measurement_states AS s ON s.client_id = compared_client;
END;
$$;


--
-- Name: count_members(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.count_members() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    c record;
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        FOR c IN
            SELECT
                o.client_id,
                count(*) AS members,
                sum(public.member_fingerprint(o.id, o.created_at, o.status, o.campaign_id)) AS fingerprint
            FROM old_rows AS o
            WHERE o.usable
            GROUP BY o.client_id
        LOOP
            INSERT INTO public.measurement_changes (client_id, members, fingerprint)
            VALUES (c.client_id, -c.members, -c.fingerprint);
        END LOOP;
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        FOR c IN
            SELECT
                n.client_id,
                count(*) AS members,
                sum(public.member_fingerprint(n.id, n.created_at, n.status, n.campaign_id)) AS fingerprint
            FROM new_rows AS n
            WHERE n.usable
            GROUP BY n.client_id
        LOOP
            INSERT INTO public.measurement_changes (client_id, members, fingerprint)
            VALUES (c.client_id, c.members, c.fingerprint);
        END LOOP;
    END IF;
    RETURN NULL;
END;
$$;


--
-- Name: create_measurement_state(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.create_measurement_state() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    -- A client that comes back may find changes of its former self: the state begins
    -- with what makes the sum right.
    INSERT INTO public.measurement_states (client_id, members, fingerprint)
    SELECT NEW.id, m.members - c.members, m.fingerprint - c.fingerprint
    FROM (
        SELECT
            count(*) AS members,
            coalesce(sum(public.member_fingerprint(i.id, i.created_at, i.status, i.campaign_id)), 0) AS fingerprint
        FROM public.interviews AS i
        WHERE i.client_id = NEW.id
            AND i.usable
    ) AS m, (
        SELECT coalesce(sum(x.members), 0) AS members, coalesce(sum(x.fingerprint), 0) AS fingerprint
        FROM public.measurement_changes AS x
        WHERE x.client_id = NEW.id
    ) AS c
    ON CONFLICT (client_id) DO NOTHING;
    RETURN NULL;
END;
$$;


--
-- Name: current_client_id(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.current_client_id() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('clientintel.client_id'::text, true), ''::text))::uuid;


--
-- Name: cut_over_measurement(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.cut_over_measurement(switched_client uuid, contract_version text, OUT members bigint, OUT fault text) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    SELECT f.found_members, f.fault INTO members, fault
    FROM public.check_measurement(switched_client) AS f;
    fault := coalesce(fault, (
        SELECT format('it was marked broken at %s: %s', to_char(s.broken_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), s.broken_reason)
        FROM public.measurement_states AS s
        WHERE s.client_id = switched_client
            AND s.broken_at IS NOT NULL
    ));
    IF fault IS NULL THEN
        UPDATE public.clients AS c
        SET measurement_mode = 'canonical',
            measurement_contract_version = contract_version
        WHERE c.id = switched_client;
    END IF;
END;
$$;


--
-- Name: delete_future_requests(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_future_requests(client uuid, key uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    removed bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(k.prefix, 600))
    FROM public.api_keys AS k
    WHERE k.client_id = delete_future_requests.client
        AND k.id = delete_future_requests.key;
    DELETE FROM public.request_log AS l
    WHERE l.client_id = delete_future_requests.client
        AND l.key_id = delete_future_requests.key
        AND l.at > clock_timestamp();
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END;
$$;


--
-- Name: delete_keys(uuid[], boolean, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.delete_keys(client_ids uuid[], only_revoked boolean, account text, OUT keys bigint, OUT log_rows bigint, OUT usage_rows bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    log_rows := 0;
    usage_rows := 0;
    IF NOT only_revoked THEN
        PERFORM pg_advisory_xact_lock(r.lock)
        FROM unnest((
            SELECT array_agg(DISTINCT hashtextextended(k.prefix, 600))
            FROM public.api_keys AS k
            WHERE k.client_id = ANY (client_ids)
        )) AS r (lock);
    END IF;
    WITH deleted AS (
        DELETE FROM public.api_keys AS k
        WHERE k.client_id = ANY (client_ids)
            AND (NOT only_revoked OR k.revoked_at <= now())
        RETURNING k.client_id, k.id, k.prefix, k.name, k.revoked_at
    ),

    remembered AS (
        INSERT INTO public.revoked_keys AS r (client_id, prefix, revoked_at)
        SELECT d.client_id, d.prefix, d.revoked_at
        FROM deleted AS d
        WHERE d.revoked_at IS NOT NULL
        ON CONFLICT (client_id, prefix) DO UPDATE SET revoked_at = least(r.revoked_at, excluded.revoked_at)
    ),

    audited AS (
        INSERT INTO public.key_audits (client_id, action, key_id, account, actor, detail)
        SELECT d.client_id, 'purge', d.id, delete_keys.account, delete_keys.account, d.prefix
        FROM deleted AS d
    )

    SELECT count(*) INTO keys FROM deleted;
    IF NOT only_revoked THEN
        DELETE FROM public.request_log AS l WHERE l.client_id = ANY (client_ids);
        GET DIAGNOSTICS log_rows = ROW_COUNT;
        DELETE FROM public.key_usage AS u WHERE u.client_id = ANY (client_ids);
        GET DIAGNOSTICS usage_rows = ROW_COUNT;
        DELETE FROM public.usage_sums AS u WHERE u.client_id = ANY (client_ids);
    END IF;
END;
$$;


--
-- Name: join_json_strings(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.join_json_strings(list jsonb) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
DECLARE
    joined CONSTANT text := replace(list::text, '", "', '; ');
    plain CONSTANT text := split_part(joined, '"', 2);
BEGIN
    IF '["' || plain || '"]' = joined AND strpos(plain, '\') = 0 THEN
        RETURN plain;
    END IF;
    RETURN (
        SELECT string_agg(e.element #>> '{}', '; ' ORDER BY e.place)
        FROM jsonb_array_elements(list) WITH ORDINALITY AS e (element, place)
        WHERE jsonb_typeof(e.element) = 'string'
    );
END;
$$;


--
-- Name: extracted_text(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.extracted_text(value jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE jsonb_typeof(value) WHEN 'string'::text THEN (value #>> '{}'::text[]) WHEN 'array'::text THEN public.join_json_strings(value) ELSE NULL::text END;


--
-- Name: fill_campaign_live(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fill_campaign_live() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    NEW.campaign_live := (
        SELECT c.live
        FROM public.campaigns AS c
        WHERE c.client_id = NEW.client_id
            AND c.id = NEW.campaign_id
    );
    IF NEW.campaign_id IS NOT NULL AND NEW.campaign_live IS NULL THEN
        RAISE EXCEPTION 'client % has no campaign %', NEW.client_id, NEW.campaign_id
            USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'interviews_campaign_is_the_clients_own';
    END IF;
    RETURN NEW;
END;
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: search_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.search_documents (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    campaign_id uuid,
    created_at timestamp with time zone NOT NULL,
    folded text NOT NULL,
    indexed boolean DEFAULT false NOT NULL
)
WITH (toast_tuple_target='8160');

ALTER TABLE ONLY public.search_documents FORCE ROW LEVEL SECURITY;


--
-- Name: find_search_documents(uuid, text, text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_search_documents(client uuid, campaign_slug text, query text, max_hits integer) RETURNS SETOF public.search_documents
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET work_mem TO '16MB'
    SET max_parallel_workers_per_gather TO '0'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
    needle CONSTANT text := public.fold_case(query);
    pattern CONSTANT text := '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%';
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    IF client IS DISTINCT FROM nullif(current_setting('clientintel.client_id', true), '')::uuid THEN
        RAISE EXCEPTION 'another client than the transaction''s is searched' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM public.check_search_triggers();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    IF NOT public.has_trigrams(needle) OR NOT public.trigrams_are_selective(client, needle) THEN
        -- The table as it lies, when most of it is the client's; else its pages.
        IF campaign IS NULL AND (
            SELECT 2 * sum(s.members) FILTER (WHERE s.client_id = client) > sum(s.members)
            FROM public.measurement_states AS s
        ) THEN
            PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
        END IF;
        RETURN QUERY
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
            AND strpos(d.folded, needle) > 0
        ORDER BY d.created_at DESC, d.id
        LIMIT max_hits;
        RETURN;
    END IF;
    -- IS TRUE keeps the campaign's own index out of both plans: it holds all of
    -- a campaign, however little is wanted of it.
    RETURN QUERY
    SELECT n.*
    FROM (
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE d.indexed
                AND ARRAY[d.client_id] @> ARRAY[client]
                AND d.folded LIKE pattern
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
        UNION ALL
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE NOT d.indexed
                AND d.client_id = client
                AND strpos(d.folded, needle) > 0
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
    ) AS n
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;


--
-- Name: fold_case(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.fold_case(original text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    folded text COLLATE "C" := lower(original COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) THEN
        RETURN folded;
    END IF;
    DECLARE
        variants CONSTANT text COLLATE "C" :=
            'µÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽſƁƂ'
            'ƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾ'
            'ɁɃɄɅɆɈɊɌɎͅͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫςϏϐϑϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГД'
            'ЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰ'
            'ӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺ'
            'ႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲ'
            'ᏳᏴᏵᲀᲁᲂᲃᲄᲅᲆᲇᲈᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊ'
            'ṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẛẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘ'
            'ἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼιῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣ'
            'ⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮ'
            'ⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚ'
            'ꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟐꟖꟘꟵＡＢＣＤＥＦＧＨＩＪ'
            'ＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳'
            '𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭'
            '𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡';
        letters CONSTANT text COLLATE "C" :=
            'μàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžsɓƃ'
            'ƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦ'
            'ɂƀʉʌɇɉɋɍɏιͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋσϗβθφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгд'
            'ежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱ'
            'ӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚ'
            'ⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺ'
            'ᏻᏼᏽвдосттъѣꙋაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋ'
            'ṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕṡßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐ'
            'ἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳιὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳ'
            'ⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱ'
            'ɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛ'
            'ꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊꟑꟗꟙꟶａｂｃｄｅｆｇｈｉｊ'
            'ｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚'
            '𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍'
            '𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃';
        variant CONSTANT text COLLATE "C" := '[' || variants || ']';
        met text COLLATE "C";
        block integer;
    BEGIN
        -- translate() walks its list for each character of the text. So it gets the
        -- 32 variants around one that the text holds, and no block of them twice:
        -- the time is linear in the text.
        LOOP
            met := substring(folded FROM variant);
            EXIT WHEN met IS NULL;
            block := (strpos(variants, met) - 1) / 32 * 32 + 1;
            folded := translate(folded, substr(variants, block, 32), substr(letters, block, 32));
        END LOOP;
        RETURN replace(folded, U&'\FFFF', U&'\FFFD');
    END;
END;
$$;


--
-- Name: has_older_search_documents(uuid, text, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_older_search_documents(client uuid, campaign_slug text, max_rows bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    RETURN (campaign_slug IS NULL OR campaign IS NOT NULL) AND EXISTS (
        SELECT 1
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        OFFSET max_rows
    );
END;
$$;


--
-- Name: has_trigrams(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_trigrams(needle text) RETURNS boolean
    LANGUAGE plpgsql STABLE STRICT
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
    RETURN (
        SELECT string_agg(CASE WHEN cardinality(show_trgm(c.letter)) > 0 THEN 'x' ELSE ' ' END, '' ORDER BY c.place)
            LIKE '%xxx%'
        FROM string_to_table(needle, NULL) WITH ORDINALITY AS c (letter, place)
    );
END;
$$;


--
-- Name: index_search_documents(bigint, bigint, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.index_search_documents(scan_limit bigint, keep_outside bigint, max_documents integer, OUT added integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET gin_pending_list_limit TO '256MB'
    AS $$
DECLARE
    large record;
    surplus bigint;
    of_client integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN;
    END IF;
    added := 0;
    PERFORM public.merge_measurement_changes();
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


--
-- Name: lock_measurement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.lock_measurement(with_client uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'measurement is audited, rebuilt and switched at READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('clientintel measurement ' || with_client, 0));
END;
$$;


--
-- Name: maintain_request_log(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.maintain_request_log() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $_$
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


--
-- Name: maintain_search_documents(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.maintain_search_documents() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        DELETE FROM public.search_documents AS d
        USING old_rows AS o
        WHERE d.client_id = o.client_id
            AND d.created_at = o.created_at
            AND d.id = o.id
            AND NOT EXISTS (
                SELECT 1 FROM public.interviews AS i
                WHERE i.client_id = o.client_id
                    AND i.id = o.id
                    AND i.created_at = o.created_at
                    AND i.usable
            );
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        INSERT INTO public.search_documents AS d (client_id, id, campaign_id, created_at, folded)
        SELECT
            n.client_id,
            n.id,
            n.campaign_id,
            n.created_at,
            public.searched_text(n.custom_extraction, n.best_quote)
        FROM new_rows AS n
        WHERE n.usable
        ON CONFLICT (client_id, created_at, id) DO UPDATE
        SET campaign_id = excluded.campaign_id,
            folded = excluded.folded,
            indexed = false
        WHERE (d.campaign_id, d.folded) IS DISTINCT FROM (excluded.campaign_id, excluded.folded);
    END IF;
    RETURN NULL;
END;
$$;


--
-- Name: mark_broken_by_disabled_triggers(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.mark_broken_by_disabled_triggers() RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    moment CONSTANT timestamptz := clock_timestamp();
BEGIN
    IF NOT EXISTS (SELECT 1 FROM public.measurement_triggers AS t WHERE NOT t.enabled) THEN
        RETURN false;
    END IF;
    UPDATE public.measurement_states AS s
    SET broken_at = moment,
        broken_reason = 'what keeps the count was switched off'
    FROM public.clients AS c
    WHERE c.id = s.client_id
        AND c.measurement_mode = 'canonical'
        AND s.broken_at IS NULL;
    RETURN true;
END;
$$;


--
-- Name: matched_fields(text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.matched_fields(folded text, needle text) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN (SELECT array_agg((f.number)::integer ORDER BY f.number) AS array_agg FROM string_to_table(matched_fields.folded, '￿'::text) WITH ORDINALITY f(field, number) WHERE (strpos(f.field, matched_fields.needle) > 0));


--
-- Name: interviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.interviews (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    campaign_id uuid,
    campaign_live boolean,
    created_at timestamp with time zone NOT NULL,
    duration_seconds double precision,
    nps_score double precision,
    is_test boolean DEFAULT false NOT NULL,
    reportable boolean DEFAULT false NOT NULL,
    client_safe boolean DEFAULT false NOT NULL,
    usable boolean GENERATED ALWAYS AS (((status = ANY (ARRAY['completed'::text, 'analyzed'::text])) AND (NOT is_test) AND ((duration_seconds IS NULL) OR (duration_seconds >= (60)::double precision)) AND (engagement IS DISTINCT FROM 'disengaged'::text) AND (quality = 'passed'::text) AND reportable AND client_safe AND ((campaign_id IS NULL) OR campaign_live))) STORED NOT NULL,
    status text NOT NULL,
    quality text NOT NULL,
    engagement text,
    participant_name text,
    participant_email text,
    interview_type text,
    customer_sentiment text,
    churn_risk text,
    best_quote text,
    transcript jsonb,
    raw_extraction jsonb,
    custom_extraction jsonb,
    CONSTRAINT interviews_campaign_comes_with_its_liveness CHECK (((campaign_id IS NULL) = (campaign_live IS NULL))),
    CONSTRAINT interviews_custom_extraction_is_an_object CHECK ((jsonb_typeof(custom_extraction) = 'object'::text)),
    CONSTRAINT interviews_quality_is_known CHECK ((quality = ANY (ARRAY['passed'::text, 'failed'::text, 'pending'::text]))),
    CONSTRAINT interviews_raw_extraction_is_an_object CHECK ((jsonb_typeof(raw_extraction) = 'object'::text)),
    CONSTRAINT interviews_transcript_is_a_list CHECK ((jsonb_typeof(transcript) = 'array'::text))
);

ALTER TABLE ONLY public.interviews FORCE ROW LEVEL SECURITY;


--
-- Name: usable_interviews; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.usable_interviews WITH (security_invoker='true') AS
 SELECT interviews.client_id,
    interviews.id,
    interviews.campaign_id,
    interviews.created_at,
    interviews.status,
    interviews.duration_seconds,
    interviews.nps_score,
    interviews.participant_name,
    interviews.participant_email,
    interviews.interview_type,
    interviews.customer_sentiment,
    interviews.churn_risk,
    interviews.best_quote,
    interviews.transcript,
    interviews.raw_extraction,
    interviews.custom_extraction
   FROM public.interviews
  WHERE interviews.usable;


--
-- Name: matching_interviews(uuid, text, timestamp with time zone, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.matching_interviews(client uuid, status text, from_created_at timestamp with time zone, until_created_at timestamp with time zone) RETURNS SETOF public.usable_interviews
    LANGUAGE sql STABLE
    AS $$
    SELECT i.*
    FROM usable_interviews AS i
    WHERE i.client_id = client
        AND (matching_interviews.status = '' OR i.status = matching_interviews.status)
        AND i.created_at >= from_created_at
        AND i.created_at < until_created_at
$$;


--
-- Name: member_fingerprint(uuid, timestamp with time zone, text, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.member_fingerprint(id uuid, created_at timestamp with time zone, status text, campaign_id uuid) RETURNS numeric
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (uuid_hash_extended(id, timestamp_hash_extended((created_at AT TIME ZONE 'UTC'::text), hashtextextended(status, COALESCE(uuid_hash_extended(campaign_id, (0)::bigint), (0)::bigint)))))::numeric;


--
-- Name: merge_measurement_changes(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.merge_measurement_changes() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    changed uuid;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel merge_measurement_changes', 0)) THEN
        RETURN;
    END IF;
    FOR changed IN SELECT DISTINCT c.client_id FROM public.measurement_changes AS c LOOP
        WITH merged AS (
            DELETE FROM public.measurement_changes AS c
            WHERE c.client_id = changed
            RETURNING c.members, c.fingerprint
        )

        UPDATE public.measurement_states AS s
        SET members = s.members + m.members,
            fingerprint = s.fingerprint + m.fingerprint
        FROM (SELECT sum(x.members) AS members, sum(x.fingerprint) AS fingerprint FROM merged AS x) AS m
        WHERE s.client_id = changed;
    END LOOP;
END;
$$;


--
-- Name: oldest_served_version(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.oldest_served_version() RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 6;


--
-- Name: propagate_campaign_live(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.propagate_campaign_live() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    UPDATE public.interviews AS i
    SET campaign_live = NEW.live
    WHERE i.client_id = NEW.client_id
        AND i.campaign_id = NEW.id
        AND i.campaign_live IS DISTINCT FROM NEW.live;
    RETURN NULL;
END;
$$;


--
-- Name: server_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.server_secrets (
    name text NOT NULL,
    secret bytea NOT NULL
);


--
-- Name: read_console_secret(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_console_secret() RETURNS bytea
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    RETURN (SELECT s.secret FROM public.server_secrets s WHERE (s.name = 'console cursor'::text));


--
-- Name: read_health(bigint, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_health(scan_limit bigint, keep_outside bigint, OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamp with time zone, OUT expiring_keys bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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
    SELECT count(*) INTO expiring_keys
    FROM public.api_keys AS k
    WHERE k.expires_at > now()
        AND k.expires_at <= now() + interval '14 days'
        AND (k.revoked_at IS NULL OR k.revoked_at > now());
END;
$$;


--
-- Name: read_sync_health(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.read_sync_health(OUT oldest_success timestamp with time zone, OUT late_clients bigint) RETURNS record
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
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


--
-- Name: rebuild_measurement(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_measurement(rebuilt_client uuid, OUT rejudged bigint, OUT corrected bigint, OUT changed boolean, OUT was_broken boolean, OUT members bigint) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    d record;
    rebuilt_at timestamptz;
BEGIN
    PERFORM public.lock_measurement(rebuilt_client);
    IF EXISTS (SELECT 1 FROM public.measurement_triggers AS t WHERE NOT t.enabled) THEN
        RAISE EXCEPTION 'triggers that keep the count are switched off: restore them first';
    END IF;
    INSERT INTO public.measurement_states (client_id) VALUES (rebuilt_client)
    ON CONFLICT (client_id) DO NOTHING;

    -- No campaign ends or goes live while its interviews are put right.
    PERFORM FROM public.campaigns AS c
    WHERE c.client_id = rebuilt_client
    ORDER BY c.id
    FOR KEY SHARE;
    UPDATE public.interviews AS i
    SET campaign_live = c.live
    FROM public.campaigns AS c
    WHERE i.client_id = rebuilt_client
        AND c.client_id = i.client_id
        AND c.id = i.campaign_id
        AND i.campaign_live <> c.live;
    GET DIAGNOSTICS rejudged = ROW_COUNT;

    SELECT x.* INTO STRICT d FROM public.compare_measurement(rebuilt_client) AS x;
    IF d.misjudged > 0 THEN
        RAISE EXCEPTION '% interviews are still not judged as their facts are, % among them', d.misjudged, d.misjudged_example
            USING HINT = 'Does its campaign exist? Delete the interviews, or import the campaign; then rebuild.';
    END IF;
    corrected := d.found_members - d.members;
    changed := corrected <> 0 OR d.found_fingerprint <> d.fingerprint;
    IF changed THEN
        INSERT INTO public.measurement_changes (client_id, members, fingerprint)
        VALUES (rebuilt_client, corrected, d.found_fingerprint - d.fingerprint);
    END IF;

    SELECT s.broken_at IS NOT NULL INTO STRICT was_broken
    FROM public.measurement_states AS s
    WHERE s.client_id = rebuilt_client
    FOR UPDATE;
    rebuilt_at := clock_timestamp();
    UPDATE public.measurement_states AS s
    SET broken_at = NULL,
        broken_reason = NULL,
        audited_at = rebuilt_at
    WHERE s.client_id = rebuilt_client;
    members := d.found_members;
END;
$$;


--
-- Name: rebuild_search_documents(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.rebuild_search_documents(rebuilt_client uuid) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    removed bigint;
    written bigint;
BEGIN
    DELETE FROM public.search_documents AS d
    WHERE d.client_id = rebuilt_client
        AND NOT EXISTS (
            SELECT 1 FROM public.interviews AS i
            WHERE i.client_id = d.client_id
                AND i.id = d.id
                AND i.created_at = d.created_at
                AND i.usable
        );
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO public.search_documents AS d (client_id, id, campaign_id, created_at, folded)
    SELECT
        i.client_id,
        i.id,
        i.campaign_id,
        i.created_at,
        public.searched_text(i.custom_extraction, i.best_quote)
    FROM public.interviews AS i
    WHERE i.client_id = rebuilt_client
        AND i.usable
    FOR SHARE OF i
    ON CONFLICT (client_id, created_at, id) DO UPDATE
    SET campaign_id = excluded.campaign_id,
        folded = excluded.folded,
        indexed = false
    WHERE (d.campaign_id, d.folded) IS DISTINCT FROM (excluded.campaign_id, excluded.folded);
    GET DIAGNOSTICS written = ROW_COUNT;
    RETURN removed + written;
END;
$$;


--
-- Name: refuse_audit_change(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'rows are added to key_audits, and none is changed or deleted';
END;
$$;


--
-- Name: refuse_later_revocation(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_later_revocation() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE insufficient_privilege USING MESSAGE = 'a key that is revoked stays so: issue another one';
END;
$$;


--
-- Name: refuse_truncate(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_truncate() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'interviews cannot be truncated: responses being read would have a wrong total'
        USING ERRCODE = 'feature_not_supported', HINT = 'DELETE works.';
END;
$$;


--
-- Name: scan_search_documents(uuid, text, text, integer, bigint); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.scan_search_documents(client uuid, campaign_slug text, query text, max_hits integer, max_rows bigint) RETURNS SETOF public.search_documents
    LANGUAGE plpgsql STABLE ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_indexscan TO 'on'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
DECLARE
    needle CONSTANT text := public.fold_case(query);
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    PERFORM public.check_search_triggers();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.*
    FROM (
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        ORDER BY d.created_at DESC, d.id
        LIMIT max_rows
    ) AS n
    WHERE strpos(n.folded, needle) > 0
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;


--
-- Name: searched_text(jsonb, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.searched_text(extraction jsonb, best_quote text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $_$
DECLARE
    folded CONSTANT text COLLATE "C" := lower(concat(
        coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote), U&'\FFFF',
        public.extracted_text(extraction -> 'primary_pain_points'), U&'\FFFF',
        public.extracted_text(extraction -> 'feature_requests'), U&'\FFFF',
        public.extracted_text(extraction -> 'product_feedback'), U&'\FFFF',
        public.extracted_text(extraction -> 'competitor_mentions')
    ) COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) + 8
        OR folded ~ '^(?:[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*\uffff){4}[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*$'
    THEN
        RETURN folded;
    END IF;
    IF octet_length(replace(folded, U&'\FFFF', '')) = octet_length(folded) - 12 AND strpos(folded, E'\x01') = 0 THEN
        RETURN replace(public.fold_case(replace(folded, U&'\FFFF', E'\x01')), E'\x01', U&'\FFFF');
    END IF;
    RETURN array_to_string(
        ARRAY[
            public.fold_case(coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote)),
            public.fold_case(public.extracted_text(extraction -> 'primary_pain_points')),
            public.fold_case(public.extracted_text(extraction -> 'feature_requests')),
            public.fold_case(public.extracted_text(extraction -> 'product_feedback')),
            public.fold_case(public.extracted_text(extraction -> 'competitor_mentions'))
        ],
        U&'\FFFF',
        ''
    );
END;
$_$;


--
-- Name: trigrams_are_selective(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.trigrams_are_selective(client uuid, needle text) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_indexscan TO 'on'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET max_parallel_workers_per_gather TO '0'
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
BEGIN
    RETURN coalesce((
        WITH newest AS MATERIALIZED (
            SELECT d.folded
            FROM public.search_documents AS d
            WHERE d.client_id = client
            ORDER BY d.created_at DESC, d.id
            LIMIT 500
        ),

        pieces AS (
            SELECT DISTINCT p.piece
            FROM generate_series(1, least(length(needle) - 2, 32)) AS s (place)
            CROSS JOIN LATERAL (SELECT substr(needle, s.place, 3) AS piece) AS p
            WHERE public.has_trigrams(p.piece)
        ),

        shares AS (
            SELECT avg((strpos(n.folded, p.piece) > 0)::integer) AS share
            FROM pieces AS p
            CROSS JOIN newest AS n
            GROUP BY p.piece
        )

        SELECT min(s.share) < 0.4
        FROM shares AS s
    ), true);
END;
$$;


--
-- Name: api_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.api_keys (
    prefix text NOT NULL,
    id uuid NOT NULL,
    client_id uuid,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_by text,
    idempotency_key text,
    CONSTRAINT api_keys_only_the_decoy_has_no_client CHECK (((client_id IS NULL) = (prefix = ''::text))),
    CONSTRAINT api_keys_secret_hash_is_sha256 CHECK ((octet_length(secret_hash) = 32))
)
WITH (fillfactor='50');


--
-- Name: campaigns; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.campaigns (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL,
    display_name text,
    campaign_brief text,
    goal text,
    goal_context text,
    key_questions jsonb,
    target_segment text,
    playbook text,
    cadence text,
    active boolean,
    launch_status text,
    launched_at timestamp with time zone,
    last_refreshed timestamp with time zone,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    live boolean GENERATED ALWAYS AS ((COALESCE((launch_status = 'live'::text), false) AND COALESCE(active, true))) STORED NOT NULL,
    CONSTRAINT campaigns_key_questions_is_a_list CHECK ((jsonb_typeof(key_questions) = ANY (ARRAY['array'::text, 'null'::text])))
);

ALTER TABLE ONLY public.campaigns FORCE ROW LEVEL SECURITY;


--
-- Name: audited_interviews; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.audited_interviews WITH (security_invoker='true') AS
 SELECT i.client_id,
    i.id,
    i.created_at,
    i.status,
    i.campaign_id,
    i.usable,
    ((i.status = ANY (ARRAY['completed'::text, 'analyzed'::text])) AND (NOT i.is_test) AND COALESCE((i.duration_seconds >= (60)::double precision), true) AND COALESCE((i.engagement <> 'disengaged'::text), true) AND (i.quality = 'passed'::text) AND i.reportable AND i.client_safe AND
        CASE
            WHEN (i.campaign_id IS NULL) THEN true
            ELSE COALESCE(((c.launch_status = 'live'::text) AND COALESCE(c.active, true)), false)
        END) AS passes
   FROM (public.interviews i
     LEFT JOIN public.campaigns c ON (((c.client_id = i.client_id) AND (c.id = i.campaign_id))));


--
-- Name: clients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.clients (
    id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    measurement_mode text DEFAULT 'legacy'::text NOT NULL,
    measurement_contract_version text,
    allowed_scopes text[],
    CONSTRAINT clients_canonical_has_a_version CHECK (((measurement_mode = 'legacy'::text) OR (measurement_contract_version IS NOT NULL))),
    CONSTRAINT clients_mode_is_known CHECK ((measurement_mode = ANY (ARRAY['legacy'::text, 'canonical'::text])))
);

ALTER TABLE ONLY public.clients FORCE ROW LEVEL SECURITY;


--
-- Name: imports; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.imports (
    id bigint NOT NULL,
    client_id uuid,
    finished_at timestamp with time zone DEFAULT clock_timestamp(),
    command text DEFAULT 'import'::text NOT NULL,
    source text,
    account text,
    started_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    kinds jsonb,
    error text
);


--
-- Name: imports_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.imports ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.imports_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: key_audits; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_audits (
    client_id uuid NOT NULL,
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    action text NOT NULL,
    key_id uuid NOT NULL,
    login text DEFAULT SESSION_USER NOT NULL,
    address inet DEFAULT inet_client_addr(),
    account text NOT NULL,
    actor text NOT NULL,
    caller_address inet,
    reason text,
    detail text NOT NULL,
    CONSTRAINT key_audits_action_is_known CHECK ((action = ANY (ARRAY['issue'::text, 'rotate'::text, 'revoke'::text, 'import'::text, 'mend-window'::text, 'purge'::text])))
);


--
-- Name: key_audits_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.key_audits ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.key_audits_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: key_usage; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_usage (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL
)
PARTITION BY RANGE (hour);


--
-- Name: key_usage_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.key_usage_default (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL
);


--
-- Name: lanes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.lanes (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL,
    display_name text,
    visible boolean NOT NULL
);

ALTER TABLE ONLY public.lanes FORCE ROW LEVEL SECURITY;


--
-- Name: measurement_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.measurement_changes (
    client_id uuid NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    members bigint NOT NULL,
    fingerprint numeric NOT NULL
);

ALTER TABLE ONLY public.measurement_changes FORCE ROW LEVEL SECURITY;


--
-- Name: measurement_snapshots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.measurement_snapshots (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    as_of timestamp with time zone NOT NULL,
    measurement_contract_version text NOT NULL,
    scope_hash text NOT NULL,
    membership_hash text NOT NULL,
    source_interview_ids uuid[] NOT NULL,
    source_count bigint NOT NULL,
    CONSTRAINT measurement_snapshots_count_is_one CHECK ((source_count >= 0)),
    CONSTRAINT measurement_snapshots_membership_hash_is_hex CHECK ((membership_hash ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT measurement_snapshots_scope_hash_is_hex CHECK ((scope_hash ~ '^[0-9a-f]{64}$'::text))
);

ALTER TABLE ONLY public.measurement_snapshots FORCE ROW LEVEL SECURITY;


--
-- Name: measurement_states; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.measurement_states (
    client_id uuid NOT NULL,
    members bigint DEFAULT 0 NOT NULL,
    fingerprint numeric DEFAULT 0 NOT NULL,
    broken_at timestamp with time zone,
    broken_reason text,
    audited_at timestamp with time zone,
    audit_took interval
)
WITH (fillfactor='50');

ALTER TABLE ONLY public.measurement_states FORCE ROW LEVEL SECURITY;


--
-- Name: measurement_triggers; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.measurement_triggers WITH (security_invoker='true') AS
 SELECT r.relation,
    r.name,
    (EXISTS ( SELECT 1
           FROM pg_trigger t
          WHERE ((t.tgrelid = (r.relation)::oid) AND (t.tgname = r.name) AND (t.tgenabled = 'A'::"char")))) AS enabled
   FROM ( SELECT 'public.interviews'::regclass AS relation,
            unnest(ARRAY['fill_campaign_live_on_insert'::text, 'fill_campaign_live_on_update'::text, 'check_campaign_of_interview'::text, 'count_inserted_members'::text, 'count_updated_members'::text, 'count_deleted_members'::text, 'refuse_truncate'::text]) AS name
        UNION ALL
         SELECT 'public.campaigns'::regclass AS regclass,
            unnest(ARRAY['propagate_campaign_live'::text, 'check_interviews_of_campaign'::text]) AS unnest
        UNION ALL
         SELECT 'public.clients'::regclass AS regclass,
            'create_measurement_state'::text) r
UNION ALL
 SELECT 'public.interviews'::regclass AS relation,
    'interviews_campaign_is_the_clients_own'::text AS name,
    (( SELECT count(*) AS count
           FROM (pg_constraint k
             JOIN pg_trigger t ON ((t.tgconstraint = k.oid)))
          WHERE ((k.conrelid = ('public.interviews'::regclass)::oid) AND (k.contypid = (0)::oid) AND (k.conname = 'interviews_campaign_is_the_clients_own'::name) AND (t.tgenabled = ANY (ARRAY['O'::"char", 'A'::"char"])))) = 4) AS enabled;


--
-- Name: portal_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.portal_documents (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    lane_id uuid,
    campaign_id uuid,
    feed_date date,
    body jsonb NOT NULL,
    status text NOT NULL,
    published_at timestamp with time zone,
    measurement_snapshot_id uuid,
    CONSTRAINT portal_documents_body_claims_no_integrity CHECK ((NOT (body ? 'measurement_integrity'::text))),
    CONSTRAINT portal_documents_body_is_an_object CHECK ((jsonb_typeof(body) = 'object'::text)),
    CONSTRAINT portal_documents_body_is_told_from_a_row CHECK ((NOT (body ?& ARRAY['synthesis_type'::text, 'document'::text, 'contract_version'::text]))),
    CONSTRAINT portal_documents_type_is_known CHECK ((type = ANY (ARRAY['home'::text, 'daily_feed'::text, 'lane'::text, 'campaign'::text, 'playbook'::text, 'creative_concept'::text])))
);

ALTER TABLE ONLY public.portal_documents FORCE ROW LEVEL SECURITY;


--
-- Name: record_owners; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.record_owners (
    kind text NOT NULL,
    id uuid NOT NULL,
    client_id uuid NOT NULL
);


--
-- Name: request_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_log (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    route text NOT NULL,
    status smallint
)
PARTITION BY RANGE (at);


--
-- Name: request_log_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.request_log_default (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    seq bigint NOT NULL,
    route text NOT NULL,
    status smallint
);


--
-- Name: revoked_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.revoked_keys (
    client_id uuid NOT NULL,
    prefix text NOT NULL,
    revoked_at timestamp with time zone NOT NULL
);


--
-- Name: searched_interviews; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.searched_interviews WITH (security_invoker='true') AS
 SELECT usable_interviews.client_id,
    usable_interviews.id,
    usable_interviews.campaign_id,
    COALESCE(public.extracted_text((usable_interviews.custom_extraction -> 'best_quote'::text)), usable_interviews.best_quote) AS best_quote,
    public.extracted_text((usable_interviews.custom_extraction -> 'primary_pain_points'::text)) AS primary_pain_points,
    public.extracted_text((usable_interviews.custom_extraction -> 'feature_requests'::text)) AS feature_requests,
    public.extracted_text((usable_interviews.custom_extraction -> 'product_feedback'::text)) AS product_feedback,
    public.extracted_text((usable_interviews.custom_extraction -> 'competitor_mentions'::text)) AS competitor_mentions,
    usable_interviews.created_at
   FROM public.usable_interviews;


--
-- Name: suppressed_interviews; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.suppressed_interviews (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    suppressed_at timestamp with time zone DEFAULT now() NOT NULL
);


--
-- Name: synthesis_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.synthesis_documents (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    synthesis_type text NOT NULL,
    lane_id uuid,
    campaign_id uuid,
    document jsonb NOT NULL,
    contract_version text NOT NULL,
    status text NOT NULL,
    cadence text,
    feed_date date,
    last_refreshed timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT synthesis_documents_document_is_an_object CHECK ((jsonb_typeof(document) = 'object'::text)),
    CONSTRAINT synthesis_documents_type_is_known CHECK ((synthesis_type = ANY (ARRAY['lane'::text, 'campaign'::text, 'home'::text, 'daily_feed'::text, 'playbook'::text, 'creative_concept'::text])))
);

ALTER TABLE ONLY public.synthesis_documents FORCE ROW LEVEL SECURITY;


--
-- Name: usage_sums; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_sums (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    unit text NOT NULL,
    at timestamp with time zone NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT usage_sums_unit_is_known CHECK ((unit = ANY (ARRAY['day'::text, 'hour'::text])))
)
PARTITION BY RANGE (at);


--
-- Name: usage_sums_default; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.usage_sums_default (
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    unit text NOT NULL,
    at timestamp with time zone NOT NULL,
    route text NOT NULL,
    status smallint NOT NULL,
    requests bigint NOT NULL,
    CONSTRAINT usage_sums_unit_is_known CHECK ((unit = ANY (ARRAY['day'::text, 'hour'::text])))
);


--
-- Name: visible_portal_documents; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.visible_portal_documents WITH (security_invoker='true') AS
 SELECT d.client_id,
    d.id,
    d.type,
    d.lane_id,
    d.campaign_id,
    d.feed_date,
    d.body,
    d.measurement_snapshot_id,
        CASE
            WHEN (d.feed_date IS NULL) THEN '0001-12-31 BC'::date
            ELSE d.feed_date
        END AS feed_key,
        CASE
            WHEN (d.published_at IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
            ELSE d.published_at
        END AS published_key
   FROM public.portal_documents d
  WHERE ((d.status = 'published'::text) AND ((d.lane_id IS NULL) OR ( SELECT l.visible
           FROM public.lanes l
          WHERE ((l.client_id = d.client_id) AND (l.id = d.lane_id)))));


--
-- Name: visible_synthesis_documents; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.visible_synthesis_documents WITH (security_invoker='true') AS
 SELECT d.client_id,
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
        CASE
            WHEN (d.last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
            ELSE d.last_refreshed
        END AS refreshed_key
   FROM public.synthesis_documents d
  WHERE ((d.status = 'published'::text) AND ((d.lane_id IS NULL) OR ( SELECT l.visible
           FROM public.lanes l
          WHERE ((l.client_id = d.client_id) AND (l.id = d.lane_id)))));


--
-- Name: key_usage_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_usage ATTACH PARTITION public.key_usage_default DEFAULT;


--
-- Name: request_log_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_log ATTACH PARTITION public.request_log_default DEFAULT;


--
-- Name: usage_sums_default; Type: TABLE ATTACH; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_sums ATTACH PARTITION public.usage_sums_default DEFAULT;


--
-- Name: api_keys api_keys_id_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_id_is_unique UNIQUE (id);


--
-- Name: api_keys api_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (prefix);


--
-- Name: campaigns campaigns_liveness_can_be_referred_to; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns_liveness_can_be_referred_to UNIQUE (client_id, id, live);


--
-- Name: campaigns campaigns_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns_pkey PRIMARY KEY (client_id, id);


--
-- Name: campaigns campaigns_slug_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns_slug_is_unique UNIQUE (client_id, slug) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: clients clients_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);


--
-- Name: clients clients_slug_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_slug_is_unique UNIQUE (slug) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: imports imports_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (id);


--
-- Name: interviews interviews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interviews
    ADD CONSTRAINT interviews_pkey PRIMARY KEY (client_id, id);


--
-- Name: key_audits key_audits_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_audits
    ADD CONSTRAINT key_audits_pkey PRIMARY KEY (client_id, id);


--
-- Name: key_usage key_usage_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_usage
    ADD CONSTRAINT key_usage_pkey PRIMARY KEY (client_id, key_id, hour, route, status);


--
-- Name: key_usage_default key_usage_default_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.key_usage_default
    ADD CONSTRAINT key_usage_default_pkey PRIMARY KEY (client_id, key_id, hour, route, status);


--
-- Name: lanes lanes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (client_id, id);


--
-- Name: lanes lanes_slug_is_unique; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_slug_is_unique UNIQUE (client_id, slug) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: measurement_changes measurement_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.measurement_changes
    ADD CONSTRAINT measurement_changes_pkey PRIMARY KEY (client_id, id);


--
-- Name: measurement_snapshots measurement_snapshots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.measurement_snapshots
    ADD CONSTRAINT measurement_snapshots_pkey PRIMARY KEY (client_id, id);


--
-- Name: measurement_states measurement_states_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.measurement_states
    ADD CONSTRAINT measurement_states_pkey PRIMARY KEY (client_id);


--
-- Name: portal_documents portal_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.portal_documents
    ADD CONSTRAINT portal_documents_pkey PRIMARY KEY (client_id, id);


--
-- Name: record_owners record_owners_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.record_owners
    ADD CONSTRAINT record_owners_pkey PRIMARY KEY (id, kind);


--
-- Name: request_log request_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_log
    ADD CONSTRAINT request_log_pkey PRIMARY KEY (client_id, key_id, at, seq);


--
-- Name: request_log_default request_log_default_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.request_log_default
    ADD CONSTRAINT request_log_default_pkey PRIMARY KEY (client_id, key_id, at, seq);


--
-- Name: revoked_keys revoked_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.revoked_keys
    ADD CONSTRAINT revoked_keys_pkey PRIMARY KEY (client_id, prefix);


--
-- Name: server_secrets server_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.server_secrets
    ADD CONSTRAINT server_secrets_pkey PRIMARY KEY (name);


--
-- Name: suppressed_interviews suppressed_interviews_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.suppressed_interviews
    ADD CONSTRAINT suppressed_interviews_pkey PRIMARY KEY (client_id, id);


--
-- Name: synthesis_documents synthesis_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synthesis_documents
    ADD CONSTRAINT synthesis_documents_pkey PRIMARY KEY (client_id, id);


--
-- Name: usage_sums usage_sums_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_sums
    ADD CONSTRAINT usage_sums_pkey PRIMARY KEY (client_id, key_id, unit, at, route, status);


--
-- Name: usage_sums_default usage_sums_default_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.usage_sums_default
    ADD CONSTRAINT usage_sums_default_pkey PRIMARY KEY (client_id, key_id, unit, at, route, status);


--
-- Name: api_keys_of_client; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX api_keys_of_client ON public.api_keys USING btree (client_id, created_at);


--
-- Name: campaigns_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX campaigns_page ON public.campaigns USING btree (client_id, (
CASE
    WHEN (created_at IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE created_at
END) DESC, id);


--
-- Name: imports_of_client; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX imports_of_client ON public.imports USING btree (client_id, id);


--
-- Name: interviews_campaign_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interviews_campaign_page ON public.interviews USING btree (client_id, campaign_id, created_at DESC, id) INCLUDE (nps_score) WHERE usable;


--
-- Name: interviews_campaign_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interviews_campaign_reference ON public.interviews USING btree (client_id, campaign_id) WHERE (campaign_id IS NOT NULL);


--
-- Name: interviews_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interviews_page ON public.interviews USING btree (client_id, created_at DESC, id) INCLUDE (campaign_id, nps_score) WHERE usable;


--
-- Name: interviews_status_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interviews_status_page ON public.interviews USING btree (client_id, status, created_at DESC, id) WHERE usable;


--
-- Name: portal_documents_campaign_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_campaign_page ON public.portal_documents USING btree (client_id, campaign_id, (
CASE
    WHEN (feed_date IS NULL) THEN '0001-12-31 BC'::date
    ELSE feed_date
END) DESC, (
CASE
    WHEN (published_at IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE published_at
END) DESC, id) WHERE ((status = 'published'::text) AND (type = 'campaign'::text) AND (campaign_id IS NOT NULL));


--
-- Name: portal_documents_campaign_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_campaign_reference ON public.portal_documents USING btree (client_id, campaign_id);


--
-- Name: portal_documents_lane_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_lane_page ON public.portal_documents USING btree (client_id, lane_id, (
CASE
    WHEN (feed_date IS NULL) THEN '0001-12-31 BC'::date
    ELSE feed_date
END) DESC, (
CASE
    WHEN (published_at IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE published_at
END) DESC, id) WHERE ((status = 'published'::text) AND (type = 'lane'::text) AND (lane_id IS NOT NULL));


--
-- Name: portal_documents_lane_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_lane_reference ON public.portal_documents USING btree (client_id, lane_id);


--
-- Name: portal_documents_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_page ON public.portal_documents USING btree (client_id, type, (
CASE
    WHEN (feed_date IS NULL) THEN '0001-12-31 BC'::date
    ELSE feed_date
END) DESC, (
CASE
    WHEN (published_at IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE published_at
END) DESC, id) WHERE (status = 'published'::text);


--
-- Name: portal_documents_snapshot_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX portal_documents_snapshot_reference ON public.portal_documents USING btree (client_id, measurement_snapshot_id);


--
-- Name: search_documents_campaign_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_documents_campaign_page ON public.search_documents USING btree (client_id, campaign_id, created_at DESC, id);


--
-- Name: search_documents_not_indexed; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_documents_not_indexed ON public.search_documents USING btree (client_id) WHERE (NOT indexed);


--
-- Name: search_documents_page; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX search_documents_page ON public.search_documents USING btree (client_id, created_at DESC, id);


--
-- Name: search_documents_trigrams; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX search_documents_trigrams ON public.search_documents USING gin ((ARRAY[client_id]), folded public.gin_trgm_ops) WHERE indexed;


--
-- Name: synthesis_documents_campaign_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_campaign_page ON public.synthesis_documents USING btree (client_id, campaign_id, (
CASE
    WHEN (last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE last_refreshed
END) DESC, updated_at DESC, id) WHERE ((status = 'published'::text) AND (synthesis_type = ANY (ARRAY['lane'::text, 'campaign'::text, 'home'::text, 'daily_feed'::text])) AND (campaign_id IS NOT NULL));


--
-- Name: synthesis_documents_campaign_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_campaign_reference ON public.synthesis_documents USING btree (client_id, campaign_id);


--
-- Name: synthesis_documents_feed_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_feed_page ON public.synthesis_documents USING btree (client_id, (
CASE
    WHEN (last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE last_refreshed
END) DESC, updated_at DESC, id, feed_date) WHERE ((status = 'published'::text) AND (feed_date IS NOT NULL));


--
-- Name: synthesis_documents_lane_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_lane_page ON public.synthesis_documents USING btree (client_id, lane_id, (
CASE
    WHEN (last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE last_refreshed
END) DESC, updated_at DESC, id) WHERE ((status = 'published'::text) AND (synthesis_type = ANY (ARRAY['lane'::text, 'campaign'::text, 'home'::text, 'daily_feed'::text])) AND (lane_id IS NOT NULL));


--
-- Name: synthesis_documents_lane_reference; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_lane_reference ON public.synthesis_documents USING btree (client_id, lane_id);


--
-- Name: synthesis_documents_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_page ON public.synthesis_documents USING btree (client_id, (
CASE
    WHEN (last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE last_refreshed
END) DESC, updated_at DESC, id) WHERE ((status = 'published'::text) AND (synthesis_type = ANY (ARRAY['lane'::text, 'campaign'::text, 'home'::text, 'daily_feed'::text])));


--
-- Name: synthesis_documents_type_page; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX synthesis_documents_type_page ON public.synthesis_documents USING btree (client_id, synthesis_type, (
CASE
    WHEN (last_refreshed IS NULL) THEN '0001-12-31 00:00:00+00 BC'::timestamp with time zone
    ELSE last_refreshed
END) DESC, updated_at DESC, id) WHERE (status = 'published'::text);


--
-- Name: key_usage_default_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.key_usage_pkey ATTACH PARTITION public.key_usage_default_pkey;


--
-- Name: request_log_default_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.request_log_pkey ATTACH PARTITION public.request_log_default_pkey;


--
-- Name: usage_sums_default_pkey; Type: INDEX ATTACH; Schema: public; Owner: -
--

ALTER INDEX public.usage_sums_pkey ATTACH PARTITION public.usage_sums_default_pkey;


--
-- Name: api_keys api_keys_stay_revoked; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER api_keys_stay_revoked BEFORE UPDATE OF revoked_at ON public.api_keys FOR EACH ROW WHEN (COALESCE((new.revoked_at > old.revoked_at), (old.revoked_at IS NOT NULL))) EXECUTE FUNCTION public.refuse_later_revocation();

ALTER TABLE public.api_keys ENABLE ALWAYS TRIGGER api_keys_stay_revoked;


--
-- Name: interviews check_campaign_of_interview; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER check_campaign_of_interview AFTER INSERT OR UPDATE ON public.interviews DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.campaign_id IS NOT NULL) AND (current_setting('session_replication_role'::text) = 'replica'::text))) EXECUTE FUNCTION public.check_campaign_of_interview();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER check_campaign_of_interview;


--
-- Name: campaigns check_interviews_of_campaign; Type: TRIGGER; Schema: public; Owner: -
--

CREATE CONSTRAINT TRIGGER check_interviews_of_campaign AFTER DELETE OR UPDATE ON public.campaigns DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((current_setting('session_replication_role'::text) = 'replica'::text)) EXECUTE FUNCTION public.check_interviews_of_campaign();

ALTER TABLE public.campaigns ENABLE ALWAYS TRIGGER check_interviews_of_campaign;


--
-- Name: interviews count_deleted_members; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER count_deleted_members AFTER DELETE ON public.interviews REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_members();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER count_deleted_members;


--
-- Name: interviews count_inserted_members; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER count_inserted_members AFTER INSERT ON public.interviews REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_members();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER count_inserted_members;


--
-- Name: interviews count_updated_members; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER count_updated_members AFTER UPDATE ON public.interviews REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.count_members();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER count_updated_members;


--
-- Name: clients create_measurement_state; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER create_measurement_state AFTER INSERT ON public.clients FOR EACH ROW EXECUTE FUNCTION public.create_measurement_state();

ALTER TABLE public.clients ENABLE ALWAYS TRIGGER create_measurement_state;


--
-- Name: interviews fill_campaign_live_on_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER fill_campaign_live_on_insert BEFORE INSERT ON public.interviews FOR EACH ROW WHEN (((new.campaign_id IS NOT NULL) AND (new.campaign_live IS NULL))) EXECUTE FUNCTION public.fill_campaign_live();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_insert;


--
-- Name: interviews fill_campaign_live_on_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER fill_campaign_live_on_update BEFORE UPDATE ON public.interviews FOR EACH ROW WHEN (((new.campaign_id IS DISTINCT FROM old.campaign_id) AND (NOT (new.campaign_live IS DISTINCT FROM old.campaign_live)))) EXECUTE FUNCTION public.fill_campaign_live();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_update;


--
-- Name: key_audits key_audits_are_only_added; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER key_audits_are_only_added BEFORE DELETE OR UPDATE OR TRUNCATE ON public.key_audits FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_audit_change();

ALTER TABLE public.key_audits ENABLE ALWAYS TRIGGER key_audits_are_only_added;


--
-- Name: interviews maintain_search_documents_on_delete; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER maintain_search_documents_on_delete AFTER DELETE ON public.interviews REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.maintain_search_documents();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_delete;


--
-- Name: interviews maintain_search_documents_on_insert; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER maintain_search_documents_on_insert AFTER INSERT ON public.interviews REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.maintain_search_documents();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_insert;


--
-- Name: interviews maintain_search_documents_on_update; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER maintain_search_documents_on_update AFTER UPDATE ON public.interviews REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.maintain_search_documents();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_update;


--
-- Name: campaigns propagate_campaign_live; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER propagate_campaign_live AFTER UPDATE ON public.campaigns FOR EACH ROW WHEN ((new.live IS DISTINCT FROM old.live)) EXECUTE FUNCTION public.propagate_campaign_live();

ALTER TABLE public.campaigns ENABLE ALWAYS TRIGGER propagate_campaign_live;


--
-- Name: interviews refuse_truncate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON public.interviews FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_truncate();

ALTER TABLE public.interviews ENABLE ALWAYS TRIGGER refuse_truncate;


--
-- Name: api_keys api_keys_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);


--
-- Name: campaigns campaigns_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.campaigns
    ADD CONSTRAINT campaigns_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: interviews interviews_campaign_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interviews
    ADD CONSTRAINT interviews_campaign_is_the_clients_own FOREIGN KEY (client_id, campaign_id, campaign_live) REFERENCES public.campaigns(client_id, id, live) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: interviews interviews_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interviews
    ADD CONSTRAINT interviews_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: lanes lanes_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.lanes
    ADD CONSTRAINT lanes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: measurement_snapshots measurement_snapshots_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.measurement_snapshots
    ADD CONSTRAINT measurement_snapshots_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: measurement_states measurement_states_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.measurement_states
    ADD CONSTRAINT measurement_states_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;


--
-- Name: portal_documents portal_documents_campaign_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.portal_documents
    ADD CONSTRAINT portal_documents_campaign_is_the_clients_own FOREIGN KEY (client_id, campaign_id) REFERENCES public.campaigns(client_id, id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: portal_documents portal_documents_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.portal_documents
    ADD CONSTRAINT portal_documents_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: portal_documents portal_documents_lane_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.portal_documents
    ADD CONSTRAINT portal_documents_lane_is_the_clients_own FOREIGN KEY (client_id, lane_id) REFERENCES public.lanes(client_id, id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: portal_documents portal_documents_snapshot_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.portal_documents
    ADD CONSTRAINT portal_documents_snapshot_is_the_clients_own FOREIGN KEY (client_id, measurement_snapshot_id) REFERENCES public.measurement_snapshots(client_id, id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: synthesis_documents synthesis_documents_campaign_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synthesis_documents
    ADD CONSTRAINT synthesis_documents_campaign_is_the_clients_own FOREIGN KEY (client_id, campaign_id) REFERENCES public.campaigns(client_id, id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: synthesis_documents synthesis_documents_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synthesis_documents
    ADD CONSTRAINT synthesis_documents_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: synthesis_documents synthesis_documents_lane_is_the_clients_own; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.synthesis_documents
    ADD CONSTRAINT synthesis_documents_lane_is_the_clients_own FOREIGN KEY (client_id, lane_id) REFERENCES public.lanes(client_id, id) DEFERRABLE INITIALLY DEFERRED;


--
-- Name: campaigns; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.campaigns ENABLE ROW LEVEL SECURITY;

--
-- Name: clients; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.clients ENABLE ROW LEVEL SECURITY;

--
-- Name: clients commands_read_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY commands_read_every_client ON public.clients FOR SELECT TO clientintel_keys, clientintel_auditor USING (true);


--
-- Name: campaigns importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.campaigns TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: clients importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.clients TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: interviews importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.interviews TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: lanes importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.lanes TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: measurement_changes importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.measurement_changes TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: measurement_snapshots importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.measurement_snapshots TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: measurement_states importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.measurement_states TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: portal_documents importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.portal_documents TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: search_documents importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.search_documents TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: synthesis_documents importer_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY importer_accesses_every_client ON public.synthesis_documents TO clientintel_importer USING (true) WITH CHECK (true);


--
-- Name: interviews; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.interviews ENABLE ROW LEVEL SECURITY;

--
-- Name: lanes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.lanes ENABLE ROW LEVEL SECURITY;

--
-- Name: measurement_changes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.measurement_changes ENABLE ROW LEVEL SECURITY;

--
-- Name: measurement_snapshots; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.measurement_snapshots ENABLE ROW LEVEL SECURITY;

--
-- Name: measurement_states; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.measurement_states ENABLE ROW LEVEL SECURITY;

--
-- Name: campaigns owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.campaigns TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: clients owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.clients TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: interviews owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.interviews TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: lanes owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.lanes TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: measurement_changes owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.measurement_changes TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: measurement_snapshots owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.measurement_snapshots TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: measurement_states owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.measurement_states TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: portal_documents owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.portal_documents TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: search_documents owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.search_documents TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: synthesis_documents owner_accesses_every_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY owner_accesses_every_client ON public.synthesis_documents TO clientintel_owner USING (true) WITH CHECK (true);


--
-- Name: portal_documents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.portal_documents ENABLE ROW LEVEL SECURITY;

--
-- Name: search_documents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.search_documents ENABLE ROW LEVEL SECURITY;

--
-- Name: campaigns server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.campaigns FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: clients server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.clients FOR SELECT TO clientintel_server USING ((id = public.current_client_id()));


--
-- Name: interviews server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.interviews FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: lanes server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.lanes FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: measurement_changes server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.measurement_changes FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: measurement_snapshots server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.measurement_snapshots FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: measurement_states server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.measurement_states FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: portal_documents server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.portal_documents FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: search_documents server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.search_documents FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: synthesis_documents server_reads_current_client; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY server_reads_current_client ON public.synthesis_documents FOR SELECT TO clientintel_server USING ((client_id = public.current_client_id()));


--
-- Name: synthesis_documents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.synthesis_documents ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO clientintel_server;
GRANT USAGE ON SCHEMA public TO clientintel_importer;
GRANT USAGE ON SCHEMA public TO clientintel_keys;
GRANT USAGE ON SCHEMA public TO clientintel_auditor;


--
-- Name: FUNCTION add_key_usage(key_ids uuid[], hours timestamp with time zone[], routes text[], statuses smallint[], requests bigint[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.add_key_usage(key_ids uuid[], hours timestamp with time zone[], routes text[], statuses smallint[], requests bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_key_usage(key_ids uuid[], hours timestamp with time zone[], routes text[], statuses smallint[], requests bigint[]) TO clientintel_server;


--
-- Name: FUNCTION admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.admit(prefixes text[], secret_hashes bytea[], routes text[], max_requests integer, time_window interval, clock_shift interval) TO clientintel_server;


--
-- Name: FUNCTION audit_measurement(audited_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text, OUT broken_at timestamp with time zone, OUT broken_reason text, OUT took interval); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.audit_measurement(audited_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text, OUT broken_at timestamp with time zone, OUT broken_reason text, OUT took interval) FROM PUBLIC;


--
-- Name: FUNCTION audit_next_measurement(every interval, rest integer, OUT client_id uuid, OUT fault text, OUT took interval, OUT idle interval, OUT broken_clients bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.audit_next_measurement(every interval, rest integer, OUT client_id uuid, OUT fault text, OUT took interval, OUT idle interval, OUT broken_clients bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.audit_next_measurement(every interval, rest integer, OUT client_id uuid, OUT fault text, OUT took interval, OUT idle interval, OUT broken_clients bigint) TO clientintel_server;


--
-- Name: FUNCTION check_measurement(examined_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.check_measurement(examined_client uuid, OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text) FROM PUBLIC;


--
-- Name: FUNCTION compare_measurement(compared_client uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.compare_measurement(compared_client uuid) FROM PUBLIC;


--
-- Name: FUNCTION cut_over_measurement(switched_client uuid, contract_version text, OUT members bigint, OUT fault text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.cut_over_measurement(switched_client uuid, contract_version text, OUT members bigint, OUT fault text) FROM PUBLIC;


--
-- Name: FUNCTION delete_future_requests(client uuid, key uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.delete_future_requests(client uuid, key uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_future_requests(client uuid, key uuid) TO clientintel_keys;


--
-- Name: FUNCTION delete_keys(client_ids uuid[], only_revoked boolean, account text, OUT keys bigint, OUT log_rows bigint, OUT usage_rows bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.delete_keys(client_ids uuid[], only_revoked boolean, account text, OUT keys bigint, OUT log_rows bigint, OUT usage_rows bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_keys(client_ids uuid[], only_revoked boolean, account text, OUT keys bigint, OUT log_rows bigint, OUT usage_rows bigint) TO clientintel_importer;


--
-- Name: TABLE search_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.search_documents TO clientintel_server;
GRANT SELECT ON TABLE public.search_documents TO clientintel_importer;


--
-- Name: FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.find_search_documents(client uuid, campaign_slug text, query text, max_hits integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_search_documents(client uuid, campaign_slug text, query text, max_hits integer) TO clientintel_server;


--
-- Name: FUNCTION index_search_documents(scan_limit bigint, keep_outside bigint, max_documents integer, OUT added integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.index_search_documents(scan_limit bigint, keep_outside bigint, max_documents integer, OUT added integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.index_search_documents(scan_limit bigint, keep_outside bigint, max_documents integer, OUT added integer) TO clientintel_server;
GRANT ALL ON FUNCTION public.index_search_documents(scan_limit bigint, keep_outside bigint, max_documents integer, OUT added integer) TO clientintel_importer;


--
-- Name: FUNCTION lock_measurement(with_client uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.lock_measurement(with_client uuid) FROM PUBLIC;


--
-- Name: FUNCTION maintain_request_log(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.maintain_request_log() FROM PUBLIC;
GRANT ALL ON FUNCTION public.maintain_request_log() TO clientintel_server;


--
-- Name: FUNCTION mark_broken_by_disabled_triggers(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.mark_broken_by_disabled_triggers() FROM PUBLIC;


--
-- Name: TABLE interviews; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.interviews TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.interviews TO clientintel_importer;


--
-- Name: TABLE usable_interviews; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.usable_interviews TO clientintel_server;
GRANT SELECT ON TABLE public.usable_interviews TO clientintel_importer;


--
-- Name: FUNCTION matching_interviews(client uuid, status text, from_created_at timestamp with time zone, until_created_at timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

GRANT ALL ON FUNCTION public.matching_interviews(client uuid, status text, from_created_at timestamp with time zone, until_created_at timestamp with time zone) TO clientintel_server;


--
-- Name: FUNCTION merge_measurement_changes(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.merge_measurement_changes() FROM PUBLIC;
GRANT ALL ON FUNCTION public.merge_measurement_changes() TO clientintel_server;


--
-- Name: TABLE server_secrets; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.server_secrets TO clientintel_server;


--
-- Name: FUNCTION read_console_secret(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.read_console_secret() FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_console_secret() TO clientintel_keys;


--
-- Name: FUNCTION read_health(scan_limit bigint, keep_outside bigint, OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamp with time zone, OUT expiring_keys bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.read_health(scan_limit bigint, keep_outside bigint, OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamp with time zone, OUT expiring_keys bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_health(scan_limit bigint, keep_outside bigint, OUT search_backlog bigint, OUT future_requests bigint, OUT last_import timestamp with time zone, OUT expiring_keys bigint) TO clientintel_server;


--
-- Name: FUNCTION read_sync_health(OUT oldest_success timestamp with time zone, OUT late_clients bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.read_sync_health(OUT oldest_success timestamp with time zone, OUT late_clients bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.read_sync_health(OUT oldest_success timestamp with time zone, OUT late_clients bigint) TO clientintel_server;


--
-- Name: FUNCTION rebuild_measurement(rebuilt_client uuid, OUT rejudged bigint, OUT corrected bigint, OUT changed boolean, OUT was_broken boolean, OUT members bigint); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rebuild_measurement(rebuilt_client uuid, OUT rejudged bigint, OUT corrected bigint, OUT changed boolean, OUT was_broken boolean, OUT members bigint) FROM PUBLIC;


--
-- Name: FUNCTION rebuild_search_documents(rebuilt_client uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.rebuild_search_documents(rebuilt_client uuid) FROM PUBLIC;


--
-- Name: COLUMN api_keys.prefix; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(prefix) ON TABLE public.api_keys TO clientintel_importer;
GRANT SELECT(prefix),INSERT(prefix) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(prefix) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(id),INSERT(id) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(id) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.client_id; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(client_id) ON TABLE public.api_keys TO clientintel_importer;
GRANT SELECT(client_id),INSERT(client_id) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(client_id) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.name; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(name),INSERT(name) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(name) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.secret_hash; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(secret_hash) ON TABLE public.api_keys TO clientintel_keys;


--
-- Name: COLUMN api_keys.scopes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(scopes),INSERT(scopes) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(scopes) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.created_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(created_at) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(created_at) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.expires_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(expires_at) ON TABLE public.api_keys TO clientintel_importer;
GRANT SELECT(expires_at),INSERT(expires_at) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(expires_at) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.revoked_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(revoked_at) ON TABLE public.api_keys TO clientintel_importer;
GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(revoked_at) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.last_used_at; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(last_used_at) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(last_used_at) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.created_by; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(created_by),INSERT(created_by) ON TABLE public.api_keys TO clientintel_keys;
GRANT SELECT(created_by) ON TABLE public.api_keys TO clientintel_auditor;


--
-- Name: COLUMN api_keys.idempotency_key; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT(idempotency_key),INSERT(idempotency_key) ON TABLE public.api_keys TO clientintel_keys;


--
-- Name: TABLE campaigns; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.campaigns TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.campaigns TO clientintel_importer;


--
-- Name: TABLE clients; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.clients TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.clients TO clientintel_importer;
GRANT SELECT ON TABLE public.clients TO clientintel_keys;
GRANT SELECT ON TABLE public.clients TO clientintel_auditor;


--
-- Name: TABLE imports; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.imports TO clientintel_importer;
GRANT SELECT ON TABLE public.imports TO clientintel_auditor;


--
-- Name: TABLE key_audits; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.key_audits TO clientintel_keys;
GRANT SELECT ON TABLE public.key_audits TO clientintel_auditor;


--
-- Name: COLUMN key_audits.client_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(client_id) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.action; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(action) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.key_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(key_id) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.account; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(account) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.actor; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(actor) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.caller_address; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(caller_address) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.reason; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(reason) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: COLUMN key_audits.detail; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(detail) ON TABLE public.key_audits TO clientintel_keys;


--
-- Name: TABLE key_usage; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.key_usage TO clientintel_keys;
GRANT SELECT ON TABLE public.key_usage TO clientintel_auditor;


--
-- Name: TABLE lanes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.lanes TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.lanes TO clientintel_importer;


--
-- Name: TABLE measurement_changes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.measurement_changes TO clientintel_server;
GRANT SELECT,DELETE ON TABLE public.measurement_changes TO clientintel_importer;


--
-- Name: TABLE measurement_snapshots; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.measurement_snapshots TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.measurement_snapshots TO clientintel_importer;


--
-- Name: TABLE measurement_states; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.measurement_states TO clientintel_server;
GRANT SELECT ON TABLE public.measurement_states TO clientintel_importer;


--
-- Name: TABLE measurement_triggers; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.measurement_triggers TO clientintel_server;


--
-- Name: TABLE portal_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.portal_documents TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.portal_documents TO clientintel_importer;


--
-- Name: TABLE record_owners; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.record_owners TO clientintel_importer;


--
-- Name: TABLE request_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.request_log TO clientintel_keys;
GRANT SELECT ON TABLE public.request_log TO clientintel_auditor;


--
-- Name: TABLE searched_interviews; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.searched_interviews TO clientintel_server;
GRANT SELECT ON TABLE public.searched_interviews TO clientintel_importer;


--
-- Name: TABLE suppressed_interviews; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.suppressed_interviews TO clientintel_importer;


--
-- Name: TABLE synthesis_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.synthesis_documents TO clientintel_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.synthesis_documents TO clientintel_importer;


--
-- Name: TABLE usage_sums; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.usage_sums TO clientintel_keys;
GRANT SELECT ON TABLE public.usage_sums TO clientintel_auditor;


--
-- Name: TABLE visible_portal_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.visible_portal_documents TO clientintel_server;


--
-- Name: TABLE visible_synthesis_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.visible_synthesis_documents TO clientintel_server;


--
-- PostgreSQL database dump complete
--


