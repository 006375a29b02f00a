-- The count of a client's usable interviews, kept by the database in the writer's
-- own transaction, for every writer; and its audits. Locks nothing: the tables are
-- new and the triggers meet no row.
--
-- Every statement that changes interviews inserts a row with the difference that it
-- makes (measurement_changes), and servers add these rows to the client's state from
-- time to time. A reader's total is the state plus the changes, exact in every snapshot.
-- An UPDATE of the state by the writer itself would need no second table. But an import
-- would then lock its client's state until it commits: other writers and audits of the
-- client would wait that long, writers of several clients could deadlock, and those at
-- stricter isolation levels would fail. An inserted row waits for nothing.

-- +goose Up
CREATE TABLE measurement_states (
    client_id uuid PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    members bigint NOT NULL DEFAULT 0,
    -- A sum over the members, equal for equal memberships: the version of the
    -- membership for caches, and what an audit compares.
    fingerprint numeric NOT NULL DEFAULT 0,
    broken_at timestamptz,
    broken_reason text,
    audited_at timestamptz,
    -- How long the last audit took: audits rest in proportion, over all servers together.
    audit_took interval
) WITH (fillfactor = 50);

CREATE TABLE measurement_changes (
    client_id uuid NOT NULL,
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    members bigint NOT NULL,
    fingerprint numeric NOT NULL,
    PRIMARY KEY (client_id, id)
);

-- member_fingerprint covers everything that decides which filters a member
-- matches. The hash functions are those of hash partitioning: stable on disk.
CREATE FUNCTION member_fingerprint(id uuid, created_at timestamptz, status text, campaign_id uuid)
RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN uuid_hash_extended(
    id,
    timestamp_hash_extended(
        created_at AT TIME ZONE 'UTC',
        hashtextextended(status, coalesce(uuid_hash_extended(campaign_id, 0), 0))
    )
)::numeric;

-- count_members adds up a statement's rows first and writes client by client: where
-- tables are distributed, no statement can read a transition table and write.
-- +goose StatementBegin
CREATE FUNCTION count_members() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- TRUNCATE shows through older snapshots: their interviews would be gone, and their
-- totals not.
-- +goose StatementBegin
CREATE FUNCTION refuse_truncate() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'interviews cannot be truncated: responses being read would have a wrong total'
        USING ERRCODE = 'feature_not_supported', HINT = 'DELETE works.';
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER count_inserted_members AFTER INSERT ON interviews
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
CREATE TRIGGER count_updated_members AFTER UPDATE ON interviews
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
CREATE TRIGGER count_deleted_members AFTER DELETE ON interviews
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_members();
CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON interviews
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_truncate();

-- merge_measurement_changes adds the changes to the clients' states. Called by servers from
-- time to time, it works in one at a time; what it does not see yet waits for the next call.
-- +goose StatementBegin
CREATE FUNCTION merge_measurement_changes() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION create_measurement_state() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

CREATE TRIGGER create_measurement_state AFTER INSERT ON clients
    FOR EACH ROW EXECUTE FUNCTION create_measurement_state();

ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_inserted_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_updated_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_deleted_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER refuse_truncate;
ALTER TABLE clients ENABLE ALWAYS TRIGGER create_measurement_state;

-- What keeps the membership's count true. An owner can switch a trigger off, and an
-- administrator a foreign key: servers look every few seconds. A foreign key works through
-- four triggers of its own.
CREATE VIEW measurement_triggers WITH (security_invoker = true) AS
SELECT
    r.relation,
    r.name,
    EXISTS (
        SELECT 1 FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = r.relation
            AND t.tgname = r.name
            AND t.tgenabled = 'A'
    ) AS enabled
FROM (
    SELECT 'interviews'::regclass AS relation, unnest(ARRAY[
        'fill_campaign_live_on_insert', 'fill_campaign_live_on_update', 'check_campaign_of_interview',
        'count_inserted_members', 'count_updated_members', 'count_deleted_members', 'refuse_truncate'
    ]) AS name
    UNION ALL
    SELECT 'campaigns'::regclass, unnest(ARRAY['propagate_campaign_live', 'check_interviews_of_campaign'])
    UNION ALL
    SELECT 'clients'::regclass, 'create_measurement_state'
) AS r
UNION ALL
SELECT
    'interviews'::regclass AS relation,
    'interviews_campaign_is_the_clients_own' AS name,
    (
        SELECT count(*)
        FROM pg_catalog.pg_constraint AS k
        JOIN pg_catalog.pg_trigger AS t ON t.tgconstraint = k.oid
        WHERE k.conrelid = 'interviews'::regclass
            AND k.contypid = 0
            AND k.conname = 'interviews_campaign_is_the_clients_own'
            AND t.tgenabled IN ('O', 'A')
    ) = 4 AS enabled;

-- begin_read begins a response's transaction: it sets the client, which row-level security
-- asks for, and the time that a statement may take; and returns the provenance of the
-- client's numbers. No mode: the client is gone. No members: it has no state.
-- +goose StatementBegin
CREATE FUNCTION begin_read(
    client uuid, timeout text,
    OUT as_of timestamptz, OUT mode text, OUT contract_version text, OUT members bigint, OUT broken_at timestamptz
)
LANGUAGE plpgsql AS $$
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
-- +goose StatementEnd

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
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- Thorough, not urgent.
SET max_parallel_workers_per_gather = 0 SET jit = off SET plan_cache_mode = force_custom_plan
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
-- +goose StatementEnd

-- lock_measurement lets one audit, rebuild or cutover of a client run at a time, as
-- each acts on what it found. The statement after it must have a snapshot of its own.
-- +goose StatementBegin
CREATE FUNCTION lock_measurement(with_client uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'measurement is audited, rebuilt and switched at READ COMMITTED only'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('clientintel measurement ' || with_client, 0));
END;
$$;
-- +goose StatementEnd

-- check_measurement says what is wrong with a client's measurement, or null.
-- +goose StatementBegin
CREATE FUNCTION check_measurement(
    examined_client uuid,
    OUT members bigint, OUT found_members bigint, OUT misjudged bigint, OUT fault text
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- mark_broken_by_disabled_triggers marks every canonical client when something that
-- keeps the count is switched off: switching it on again does not count what was
-- missed.
-- +goose StatementBegin
CREATE FUNCTION mark_broken_by_disabled_triggers() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- audit_measurement compares, and marks a canonical client that differs: its
-- requests are refused until it is rebuilt.
-- +goose StatementBegin
CREATE FUNCTION audit_measurement(
    audited_client uuid,
    OUT members bigint,
    OUT found_members bigint,
    OUT misjudged bigint,
    OUT fault text,
    OUT broken_at timestamptz,
    OUT broken_reason text,
    OUT took interval
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- audit_next_measurement is the servers' own audit: one client a call, the one
-- that was audited longest ago, if any is due. Only one call works at a time,
-- and the next must wait rest times as long as the last one took, whichever
-- server makes it.
-- +goose StatementBegin
CREATE FUNCTION audit_next_measurement(
    every interval, rest integer,
    OUT client_id uuid,
    OUT fault text,
    OUT took interval,
    -- How long nothing will be due.
    OUT idle interval,
    -- The canonical clients whose requests are refused: marked, or without a state.
    OUT broken_clients bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- rebuild_measurement makes a client's state right again and clears its mark. The
-- error, taken in one snapshot, is appended as one more change: whatever other
-- writers add meanwhile adds up with it.
-- +goose StatementBegin
CREATE FUNCTION rebuild_measurement(
    rebuilt_client uuid,
    OUT rejudged bigint, OUT corrected bigint, OUT changed boolean, OUT was_broken boolean, OUT members bigint
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- cut_over_measurement proves a client's measurement and, if nothing is wrong
-- with it, switches the client to canonical in the same transaction. What
-- writers add after the proof, they count.
-- +goose StatementBegin
CREATE FUNCTION cut_over_measurement(
    switched_client uuid, contract_version text,
    OUT members bigint, OUT fault text
)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

ALTER TABLE measurement_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON measurement_states
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON measurement_states TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE measurement_changes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON measurement_changes
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON measurement_changes TO CURRENT_USER USING (true) WITH CHECK (true);

REVOKE EXECUTE ON FUNCTION merge_measurement_changes, compare_measurement, lock_measurement, check_measurement,
    mark_broken_by_disabled_triggers, audit_measurement, audit_next_measurement, rebuild_measurement, cut_over_measurement
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION merge_measurement_changes, audit_next_measurement TO clientintel_server;
GRANT SELECT ON measurement_states, measurement_changes, measurement_triggers TO clientintel_server;

-- +goose Down
DROP FUNCTION cut_over_measurement;
DROP FUNCTION rebuild_measurement;
DROP FUNCTION audit_next_measurement;
DROP FUNCTION audit_measurement;
DROP FUNCTION mark_broken_by_disabled_triggers;
DROP FUNCTION check_measurement;
DROP FUNCTION lock_measurement;
DROP FUNCTION compare_measurement;
DROP VIEW audited_interviews;
DROP FUNCTION begin_read;
DROP VIEW measurement_triggers;
DROP TRIGGER create_measurement_state ON clients;
DROP TRIGGER count_inserted_members ON interviews;
DROP TRIGGER count_updated_members ON interviews;
DROP TRIGGER count_deleted_members ON interviews;
DROP TRIGGER refuse_truncate ON interviews;
DROP TABLE measurement_changes;
DROP TABLE measurement_states;
DROP FUNCTION create_measurement_state;
DROP FUNCTION merge_measurement_changes;
DROP FUNCTION refuse_truncate;
DROP FUNCTION count_members;
DROP FUNCTION member_fingerprint;
