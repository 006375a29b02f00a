-- Auditing, mending and switching a client's measurement. Locks nothing for
-- long: one nullable column and new functions.

-- +goose Up

-- How long the last audit took: audits rest in proportion, over all servers together.
ALTER TABLE measurement_states ADD COLUMN audit_took interval;

-- The gate, spelled a second time from the raw facts alone: neither the
-- generated column nor the copy of the campaign's liveness is trusted. Audits
-- compare the two; nothing else reads this.
CREATE VIEW audited_interviews WITH (security_invoker = true) AS
SELECT
    i.client_id,
    i.id,
    i.created_at,
    i.status,
    i.campaign_id,
    i.usable,
    (
        i.status IN ('completed', 'analyzed')
        AND NOT i.is_test
        AND coalesce(i.duration_seconds >= 60, true)
        AND coalesce(i.engagement <> 'disengaged', true)
        AND i.quality = 'passed'
        AND i.reportable
        AND i.client_safe
        AND CASE
            WHEN i.campaign_id IS NULL THEN true
            ELSE coalesce(c.launch_status = 'live' AND coalesce(c.active, true), false)
        END
    ) AS passes
FROM interviews AS i
LEFT JOIN campaigns AS c ON c.client_id = i.client_id AND c.id = i.campaign_id;

-- compare_measurement holds a client's state against the facts, both in the one
-- snapshot of the statement that calls it.
-- +goose StatementBegin
CREATE FUNCTION compare_measurement(compared_client uuid)
RETURNS TABLE (
    has_state boolean,
    members bigint,
    fingerprint numeric,
    found_members bigint,
    found_fingerprint numeric,
    misjudged bigint,
    misjudged_example text
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
-- Thorough, not urgent.
SET max_parallel_workers_per_gather = 0 SET jit = off SET plan_cache_mode = force_custom_plan
AS $$
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
$$;
-- +goose StatementEnd

-- take_turn lets audits, mends and cutovers of one client take turns, as each
-- acts on what it found, and keeps TRUNCATE away, which shows through older
-- snapshots. The statement after it must have a snapshot of its own.
-- +goose StatementBegin
CREATE FUNCTION take_turn(with_client uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'measurement is audited, mended and switched at READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('clientintel measurement ' || with_client, 0));
    LOCK TABLE public.interviews IN ACCESS SHARE MODE;
END;
$$;
-- +goose StatementEnd

-- find_measurement_fault says what is wrong with a client's measurement, or null.
-- +goose StatementBegin
CREATE FUNCTION find_measurement_fault(
    examined_client uuid,
    OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    d record;
    fallen text;
BEGIN
    PERFORM public.take_turn(examined_client);
    SELECT string_agg(format('%s on %s', g.name, g.relation), ', ' ORDER BY g.name) INTO fallen
    FROM public.measurement_guards AS g
    WHERE NOT g.stands;
    SELECT x.* INTO STRICT d FROM public.compare_measurement(examined_client) AS x;
    members := CASE WHEN d.has_state THEN d.members END;
    found_members := d.found_members;
    misjudged := d.misjudged;
    fault := nullif(concat_ws('; ',
        CASE WHEN fallen IS NOT NULL THEN 'switched off: ' || fallen END,
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
-- +goose StatementEnd

-- mark_unguarded marks every canonical client when something that keeps the
-- count is switched off: switching it on again does not count what was missed.
-- +goose StatementBegin
CREATE FUNCTION mark_unguarded() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM public.measurement_guards AS g WHERE NOT g.stands) THEN
        RETURN false;
    END IF;
    UPDATE public.measurement_states AS s
    SET broken_at = clock_timestamp(),
        broken_reason = 'what keeps the count was switched off'
    FROM public.clients AS c
    WHERE c.id = s.client_id
        AND c.measurement_mode = 'canonical'
        AND s.broken_at IS NULL;
    RETURN true;
END;
$$;
-- +goose StatementEnd

-- audit_measurement compares, and marks a canonical client that differs: its
-- requests are refused until it is mended.
-- +goose StatementBegin
CREATE FUNCTION audit_measurement(audited_client uuid)
RETURNS TABLE (
    members bigint,
    found_members bigint,
    misjudged bigint,
    fault text,
    broken_at timestamptz,
    broken_reason text,
    took interval
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    began timestamptz := clock_timestamp();
BEGIN
    PERFORM public.mark_unguarded();
    SELECT f.* INTO members, found_members, misjudged, fault
    FROM public.find_measurement_fault(audited_client) AS f;
    took := clock_timestamp() - began;
    UPDATE public.measurement_states AS s
    SET audited_at = clock_timestamp(),
        audit_took = audit_measurement.took,
        broken_at = CASE WHEN marks.sound THEN s.broken_at ELSE coalesce(s.broken_at, clock_timestamp()) END,
        broken_reason = CASE WHEN marks.sound THEN s.broken_reason ELSE coalesce(s.broken_reason, audit_measurement.fault) END
    FROM (
        SELECT audit_measurement.fault IS NULL OR c.measurement_mode <> 'canonical' AS sound
        FROM public.clients AS c
        WHERE c.id = audited_client
    ) AS marks
    WHERE s.client_id = audited_client
    RETURNING s.broken_at, s.broken_reason INTO broken_at, broken_reason;
    RETURN NEXT;
END;
$$;
-- +goose StatementEnd

-- fold_leftover_changes folds what writers left over: those at stricter isolation
-- levels fold nothing. In a transaction of its own, as it locks states.
-- +goose StatementBegin
CREATE FUNCTION fold_leftover_changes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    changed uuid;
BEGIN
    IF current_setting('transaction_isolation') = 'read committed' THEN
        FOR changed IN SELECT DISTINCT m.client_id FROM public.measurement_changes AS m LOOP
            PERFORM public.fold_changes_of(changed);
        END LOOP;
    END IF;
END;
$$;
-- +goose StatementEnd

-- audit_next_measurement is the servers' own audit: one client a call, the one
-- that was audited longest ago, if any is due. Only one call works at a time,
-- and the next must wait rest times as long as the last one took, whichever
-- server makes it.
-- +goose StatementBegin
CREATE FUNCTION audit_next_measurement(every interval, rest integer)
RETURNS TABLE (
    client_id uuid,
    fault text,
    took interval,
    -- How long nothing will be due.
    idle interval,
    -- The canonical clients whose requests are refused: marked, or without a state.
    broken_clients bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    idle := every;
    IF pg_try_advisory_xact_lock(hashtextextended('clientintel audit', 0)) THEN
        PERFORM public.mark_unguarded();
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
    RETURN NEXT;
END;
$$;
-- +goose StatementEnd

-- restore_measurement_guards switches on what keeps the count, and returns how
-- many triggers were off. All of it in one transaction: no request is answered
-- from a count that may have missed something.
-- +goose StatementBegin
CREATE FUNCTION restore_measurement_guards() RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    guard record;
    restored integer := 0;
BEGIN
    PERFORM public.mark_unguarded();
    FOR guard IN SELECT g.relation, g.name FROM public.measurement_guards AS g WHERE NOT g.stands ORDER BY g.name LOOP
        IF guard.name = 'interviews_campaign_is_the_clients_own' THEN
            RAISE EXCEPTION 'the foreign key % on interviews is switched off or missing', guard.name
                USING HINT = 'A superuser switches it on: ALTER TABLE interviews ENABLE TRIGGER ALL; ALTER TABLE campaigns ENABLE TRIGGER ALL. Then rebuild.';
        END IF;
        -- Waits for the writers under way, whose rows are not counted.
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', guard.relation, guard.name);
        restored := restored + 1;
    END LOOP;
    RETURN restored;
END;
$$;
-- +goose StatementEnd

-- mend_measurement makes a client's state true again and clears its mark. The
-- error, taken in one snapshot, is appended as one more change: whatever other
-- writers add meanwhile adds up with it.
-- +goose StatementBegin
CREATE FUNCTION mend_measurement(
    mended_client uuid,
    OUT rejudged bigint, OUT corrected bigint, OUT changed boolean, OUT was_broken boolean, OUT members bigint
)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    d record;
BEGIN
    PERFORM public.take_turn(mended_client);
    IF EXISTS (SELECT FROM public.measurement_guards AS g WHERE NOT g.stands) THEN
        RAISE EXCEPTION 'triggers that keep the count are switched off: restore them first';
    END IF;
    INSERT INTO public.measurement_states (client_id) VALUES (mended_client)
    ON CONFLICT (client_id) DO NOTHING;

    -- No campaign ends or goes live while its interviews are put right.
    PERFORM FROM public.campaigns AS c
    WHERE c.client_id = mended_client
    ORDER BY c.id
    FOR KEY SHARE;
    UPDATE public.interviews AS i
    SET campaign_live = c.live
    FROM public.campaigns AS c
    WHERE i.client_id = mended_client
        AND c.client_id = i.client_id
        AND c.id = i.campaign_id
        AND i.campaign_live <> c.live;
    GET DIAGNOSTICS rejudged = ROW_COUNT;

    SELECT x.* INTO STRICT d FROM public.compare_measurement(mended_client) AS x;
    IF d.misjudged > 0 THEN
        RAISE EXCEPTION '% interviews are still not judged as their facts are, % among them', d.misjudged, d.misjudged_example
            USING HINT = 'Does its campaign exist? Delete the interviews, or import the campaign; then rebuild.';
    END IF;
    corrected := d.found_members - d.members;
    changed := corrected <> 0 OR d.found_fingerprint <> d.fingerprint;
    IF changed THEN
        INSERT INTO public.measurement_changes AS m (client_id, xid, members, fingerprint)
        VALUES (
            mended_client, pg_current_xact_id()::text::bigint, corrected, d.found_fingerprint - d.fingerprint
        )
        ON CONFLICT (client_id, xid) DO UPDATE
        SET members = m.members + excluded.members,
            fingerprint = m.fingerprint + excluded.fingerprint;
    END IF;

    SELECT s.broken_at IS NOT NULL INTO STRICT was_broken
    FROM public.measurement_states AS s
    WHERE s.client_id = mended_client
    FOR UPDATE;
    UPDATE public.measurement_states AS s
    SET broken_at = NULL,
        broken_reason = NULL,
        audited_at = clock_timestamp()
    WHERE s.client_id = mended_client;
    members := d.found_members;
END;
$$;
-- +goose StatementEnd

-- cut_over_measurement proves a client's measurement and, if nothing is wrong
-- with it, switches the client to canonical in the same transaction. What
-- writers add after the proof, they count.
-- +goose StatementBegin
CREATE FUNCTION cut_over_measurement(
    switched_client uuid, contract_version text,
    OUT members bigint, OUT fault text
)
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    SELECT f.found_members, f.fault INTO members, fault
    FROM public.find_measurement_fault(switched_client) AS f;
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
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION compare_measurement, take_turn, find_measurement_fault, mark_unguarded, audit_measurement,
    fold_leftover_changes, audit_next_measurement, restore_measurement_guards, mend_measurement, cut_over_measurement
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fold_leftover_changes, audit_next_measurement TO clientintel_server;

-- +goose Down
DROP FUNCTION cut_over_measurement;
DROP FUNCTION mend_measurement;
DROP FUNCTION restore_measurement_guards;
DROP FUNCTION audit_next_measurement;
DROP FUNCTION fold_leftover_changes;
DROP FUNCTION audit_measurement;
DROP FUNCTION mark_unguarded;
DROP FUNCTION find_measurement_fault;
DROP FUNCTION take_turn;
DROP FUNCTION compare_measurement;
DROP VIEW audited_interviews;
ALTER TABLE measurement_states DROP COLUMN audit_took;
