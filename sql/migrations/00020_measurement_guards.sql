-- What keeps the membership true where foreign keys do not, and what shows that
-- it all stands. Locks interviews and campaigns against writes for a moment,
-- while their triggers are made.
--
-- In replica mode (logical replication, restores) PostgreSQL runs no foreign
-- key's checks, and an interview could keep a wrong copy of its campaign's
-- liveness. Two triggers of our own then check the same, also at commit.

-- +goose Up

-- +goose StatementBegin
CREATE FUNCTION check_campaign_of_interview() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    -- The row as it is now: a later statement may have changed or deleted it.
    -- The campaign stays locked until the commit, as a foreign key would have it.
    IF EXISTS (
        SELECT FROM public.interviews AS i
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION check_interviews_of_campaign() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
        SELECT FROM public.campaigns AS c
        WHERE c.client_id = OLD.client_id
            AND c.id = OLD.id
            AND c.live = OLD.live
    ) AND EXISTS (
        SELECT FROM public.interviews AS i
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
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER check_campaign_of_interview AFTER INSERT OR UPDATE ON interviews
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.campaign_id IS NOT NULL AND current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION check_campaign_of_interview();
CREATE CONSTRAINT TRIGGER check_interviews_of_campaign AFTER UPDATE OR DELETE ON campaigns
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION check_interviews_of_campaign();
ALTER TABLE interviews ENABLE ALWAYS TRIGGER check_campaign_of_interview;
ALTER TABLE campaigns ENABLE ALWAYS TRIGGER check_interviews_of_campaign;

-- What keeps the membership's count true. An owner can switch a trigger off, and
-- an administrator a foreign key; the catalog shows it, in every snapshot.
CREATE VIEW measurement_guards AS
SELECT
    g.relation,
    g.name::text AS name,
    EXISTS (
        SELECT FROM pg_catalog.pg_trigger AS t
        WHERE t.tgrelid = g.relation
            AND t.tgname = g.name
            AND t.tgenabled = 'A'
    ) AS stands
FROM (
    SELECT 'interviews'::regclass AS relation, 'fill_campaign_live_on_insert'::name AS name
    UNION ALL
    SELECT 'interviews'::regclass, 'fill_campaign_live_on_update'::name
    UNION ALL
    SELECT 'interviews'::regclass, 'check_campaign_of_interview'::name
    UNION ALL
    SELECT 'interviews'::regclass, 'count_inserted_members'::name
    UNION ALL
    SELECT 'interviews'::regclass, 'count_updated_members'::name
    UNION ALL
    SELECT 'interviews'::regclass, 'count_deleted_members'::name
    UNION ALL
    SELECT 'interviews'::regclass, 'count_truncated_members'::name
    UNION ALL
    SELECT 'campaigns'::regclass, 'pass_liveness_on'::name
    UNION ALL
    SELECT 'campaigns'::regclass, 'check_interviews_of_campaign'::name
    UNION ALL
    SELECT 'measurement_changes'::regclass, 'fold_measurement_changes'::name
    UNION ALL
    SELECT 'clients'::regclass, 'open_measurement_state'::name
) AS g
UNION ALL
-- A foreign key works through four triggers of its own.
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
    ) = 4 AS stands;

GRANT SELECT ON measurement_guards TO clientintel_server;

-- +goose Down
DROP VIEW measurement_guards;
DROP TRIGGER check_interviews_of_campaign ON campaigns;
DROP TRIGGER check_campaign_of_interview ON interviews;
DROP FUNCTION check_interviews_of_campaign();
DROP FUNCTION check_campaign_of_interview();
