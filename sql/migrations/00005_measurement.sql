-- The membership's count, kept by the database in the writer's own transaction,
-- whoever writes. Locks nothing: the tables are new and the triggers meet no row.
--
-- Each writing transaction adds up its changes in a row of its own
-- (measurement_changes), so two writers of one client never wait for each
-- other and cannot deadlock. At commit the rows are folded into the client's
-- state when nobody else is folding. A reader's total is state plus changes,
-- exact in every snapshot.

-- +goose Up
CREATE TABLE measurement_states (
    client_id uuid PRIMARY KEY REFERENCES clients (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    members bigint NOT NULL DEFAULT 0,
    -- A sum over the members, equal for equal memberships: the version of the
    -- membership for caches, and what an audit compares.
    fingerprint numeric NOT NULL DEFAULT 0,
    broken_at timestamptz,
    broken_reason text,
    audited_at timestamptz
) WITH (fillfactor = 50);

CREATE TABLE measurement_changes (
    client_id uuid NOT NULL,
    xid bigint NOT NULL,
    members bigint NOT NULL,
    fingerprint numeric NOT NULL,
    PRIMARY KEY (client_id, xid)
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

-- +goose StatementBegin
CREATE FUNCTION count_inserted_members() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.measurement_changes AS c (client_id, xid, members, fingerprint)
    SELECT
        n.client_id,
        pg_current_xact_id()::text::bigint,
        count(*),
        sum(public.member_fingerprint(n.id, n.created_at, n.status, n.campaign_id))
    FROM new_rows AS n
    WHERE n.usable
    GROUP BY n.client_id
    ON CONFLICT (client_id, xid) DO UPDATE
    SET members = c.members + excluded.members,
        fingerprint = c.fingerprint + excluded.fingerprint;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_deleted_members() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.measurement_changes AS c (client_id, xid, members, fingerprint)
    SELECT
        o.client_id,
        pg_current_xact_id()::text::bigint,
        -count(*),
        -sum(public.member_fingerprint(o.id, o.created_at, o.status, o.campaign_id))
    FROM old_rows AS o
    WHERE o.usable
    GROUP BY o.client_id
    ON CONFLICT (client_id, xid) DO UPDATE
    SET members = c.members + excluded.members,
        fingerprint = c.fingerprint + excluded.fingerprint;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_updated_members() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO public.measurement_changes AS c (client_id, xid, members, fingerprint)
    SELECT
        m.client_id,
        pg_current_xact_id()::text::bigint,
        sum(m.sign),
        sum(m.sign * public.member_fingerprint(m.id, m.created_at, m.status, m.campaign_id))
    FROM (
        SELECT -1 AS sign, o.client_id, o.id, o.created_at, o.status, o.campaign_id
        FROM old_rows AS o
        WHERE o.usable
        UNION ALL
        SELECT 1 AS sign, n.client_id, n.id, n.created_at, n.status, n.campaign_id
        FROM new_rows AS n
        WHERE n.usable
    ) AS m
    GROUP BY m.client_id
    ON CONFLICT (client_id, xid) DO UPDATE
    SET members = c.members + excluded.members,
        fingerprint = c.fingerprint + excluded.fingerprint;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION count_truncated_members() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    -- TRUNCATE has no old rows to show, but holds its lock already: count them.
    -- An older snapshot does not show all that goes.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'interviews can be truncated at READ COMMITTED only: at % not every row that goes is seen and counted',
            upper(current_setting('transaction_isolation'))
            USING ERRCODE = 'invalid_transaction_state', HINT = 'DELETE works at every isolation level.';
    END IF;
    INSERT INTO public.measurement_changes AS c (client_id, xid, members, fingerprint)
    SELECT
        i.client_id,
        pg_current_xact_id()::text::bigint,
        -count(*),
        -sum(public.member_fingerprint(i.id, i.created_at, i.status, i.campaign_id))
    FROM public.interviews AS i
    WHERE i.usable
    GROUP BY i.client_id
    ON CONFLICT (client_id, xid) DO UPDATE
    SET members = c.members + excluded.members,
        fingerprint = c.fingerprint + excluded.fingerprint;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER count_inserted_members AFTER INSERT ON interviews
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_inserted_members();
CREATE TRIGGER count_updated_members AFTER UPDATE ON interviews
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION count_updated_members();
CREATE TRIGGER count_deleted_members AFTER DELETE ON interviews
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_members();
CREATE TRIGGER count_truncated_members BEFORE TRUNCATE ON interviews
    FOR EACH STATEMENT EXECUTE FUNCTION count_truncated_members();

-- fold_changes_of adds a client's changes to its state, unless somebody else is
-- at it: what is left over is folded by whoever comes next.
-- +goose StatementBegin
CREATE FUNCTION fold_changes_of(folded_client uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    PERFORM FROM public.measurement_states AS s
    WHERE s.client_id = folded_client
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    WITH folded AS (
        DELETE FROM public.measurement_changes AS c
        WHERE c.client_id = folded_client
        RETURNING c.members, c.fingerprint
    ),

    total AS (
        SELECT coalesce(sum(f.members), 0) AS members, coalesce(sum(f.fingerprint), 0) AS fingerprint
        FROM folded AS f
    )

    UPDATE public.measurement_states AS s
    SET members = s.members + t.members,
        fingerprint = s.fingerprint + t.fingerprint
    FROM total AS t
    WHERE s.client_id = folded_client
        AND (t.members <> 0 OR t.fingerprint <> 0);
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION fold_measurement_changes() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    -- A stricter isolation level would fail on a state that moved; leave the
    -- folding to the next writer then.
    IF current_setting('transaction_isolation') = 'read committed' THEN
        PERFORM public.fold_changes_of(NEW.client_id);
    END IF;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- Deferred, so the state is locked for the commit alone and not for a whole import.
CREATE CONSTRAINT TRIGGER fold_measurement_changes AFTER INSERT ON measurement_changes
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fold_measurement_changes();

-- +goose StatementBegin
CREATE FUNCTION open_measurement_state() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    -- A client that comes back may find changes of its former self, or of this
    -- very transaction: the state begins with what makes the sum right.
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

CREATE TRIGGER open_measurement_state AFTER INSERT ON clients
    FOR EACH ROW EXECUTE FUNCTION open_measurement_state();

ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_inserted_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_updated_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_deleted_members;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_truncated_members;
ALTER TABLE measurement_changes ENABLE ALWAYS TRIGGER fold_measurement_changes;
ALTER TABLE clients ENABLE ALWAYS TRIGGER open_measurement_state;

REVOKE EXECUTE ON FUNCTION fold_changes_of FROM PUBLIC;
GRANT SELECT ON measurement_states, measurement_changes TO clientintel_server;

-- +goose Down
DROP TRIGGER open_measurement_state ON clients;
DROP TRIGGER count_inserted_members ON interviews;
DROP TRIGGER count_updated_members ON interviews;
DROP TRIGGER count_deleted_members ON interviews;
DROP TRIGGER count_truncated_members ON interviews;
DROP TABLE measurement_changes;
DROP TABLE measurement_states;
DROP FUNCTION open_measurement_state();
DROP FUNCTION fold_measurement_changes();
DROP FUNCTION fold_changes_of(uuid);
DROP FUNCTION count_truncated_members();
DROP FUNCTION count_updated_members();
DROP FUNCTION count_deleted_members();
DROP FUNCTION count_inserted_members();
DROP FUNCTION member_fingerprint(uuid, timestamptz, text, uuid);
