-- Interviews and the gate. Locks nothing: the table is new, and so is campaigns.
--
-- The gate is one generated column, interviews.usable, so no writer can set it
-- and no reader can forget a part of it. A generated column cannot look at the
-- campaign's row; campaign_live copies that fact, and a foreign key on
-- (campaign, live) makes a wrong copy impossible, whatever races.
--
-- In replica mode (logical replication, restores) PostgreSQL runs no foreign
-- key's checks, and an interview could keep a wrong copy. Two triggers of our own
-- then check the same, also at commit.

-- +goose Up
CREATE TABLE interviews (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    campaign_id uuid,
    -- A copy of campaigns.live; filled by trigger when the writer leaves it out.
    campaign_live boolean,
    created_at timestamptz NOT NULL,
    duration_seconds double precision,
    nps_score double precision,
    is_test boolean NOT NULL DEFAULT false,
    reportable boolean NOT NULL DEFAULT false,
    client_safe boolean NOT NULL DEFAULT false,
    usable boolean NOT NULL GENERATED ALWAYS AS (
        status IN ('completed', 'analyzed')
        AND NOT is_test
        AND (duration_seconds IS NULL OR duration_seconds >= 60)
        AND engagement IS DISTINCT FROM 'disengaged'
        AND quality = 'passed'
        AND reportable
        AND client_safe
        AND (campaign_id IS NULL OR campaign_live)
    ) STORED,
    status text NOT NULL,
    quality text NOT NULL
        CONSTRAINT interviews_quality_is_known CHECK (quality IN ('passed', 'failed', 'pending')),
    engagement text,
    participant_name text,
    participant_email text,
    interview_type text,
    customer_sentiment text,
    churn_risk text,
    best_quote text,
    transcript jsonb
        CONSTRAINT interviews_transcript_is_a_list CHECK (jsonb_typeof(transcript) = 'array'),
    raw_extraction jsonb
        CONSTRAINT interviews_raw_extraction_is_an_object CHECK (jsonb_typeof(raw_extraction) = 'object'),
    custom_extraction jsonb
        CONSTRAINT interviews_custom_extraction_is_an_object CHECK (jsonb_typeof(custom_extraction) = 'object'),
    PRIMARY KEY (client_id, id),
    CONSTRAINT interviews_campaign_comes_with_its_liveness
        CHECK ((campaign_id IS NULL) = (campaign_live IS NULL)),
    -- Checked at commit: a campaign that ends is written before its interviews.
    CONSTRAINT interviews_campaign_is_the_clients_own
        FOREIGN KEY (client_id, campaign_id, campaign_live) REFERENCES campaigns (client_id, id, live)
        DEFERRABLE INITIALLY DEFERRED
);

-- Only bounded columns may be included: an index tuple over 2.7 KB fails the insert.
CREATE INDEX interviews_page ON interviews (client_id, created_at DESC, id)
    INCLUDE (campaign_id, nps_score) WHERE usable;

-- A campaign's chart is read from this index alone, as a client's is from the one above.
CREATE INDEX interviews_campaign_page ON interviews (client_id, campaign_id, created_at DESC, id)
    INCLUDE (nps_score) WHERE usable;

-- The gate lets two statuses through, so the key is bounded and each is dense or rare.
CREATE INDEX interviews_status_page ON interviews (client_id, status, created_at DESC, id)
    WHERE usable;

-- For the campaign that ends or goes live, and for the foreign key's own look-ups.
CREATE INDEX interviews_campaign_reference ON interviews (client_id, campaign_id)
    WHERE campaign_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION fill_campaign_live() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- The importer supplies the value and so skips the call on each row.
CREATE TRIGGER fill_campaign_live_on_insert BEFORE INSERT ON interviews
    FOR EACH ROW WHEN (NEW.campaign_id IS NOT NULL AND NEW.campaign_live IS NULL)
    EXECUTE FUNCTION fill_campaign_live();
CREATE TRIGGER fill_campaign_live_on_update BEFORE UPDATE ON interviews
    FOR EACH ROW WHEN (
        NEW.campaign_id IS DISTINCT FROM OLD.campaign_id
        AND NEW.campaign_live IS NOT DISTINCT FROM OLD.campaign_live
    )
    EXECUTE FUNCTION fill_campaign_live();

-- +goose StatementBegin
CREATE FUNCTION propagate_campaign_live() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE public.interviews AS i
    SET campaign_live = NEW.live
    WHERE i.client_id = NEW.client_id
        AND i.campaign_id = NEW.id
        AND i.campaign_live IS DISTINCT FROM NEW.live;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER propagate_campaign_live AFTER UPDATE ON campaigns
    FOR EACH ROW WHEN (NEW.live IS DISTINCT FROM OLD.live)
    EXECUTE FUNCTION propagate_campaign_live();

-- +goose StatementBegin
CREATE FUNCTION check_campaign_of_interview() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION check_interviews_of_campaign() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
-- +goose StatementEnd

CREATE CONSTRAINT TRIGGER check_campaign_of_interview AFTER INSERT OR UPDATE ON interviews
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.campaign_id IS NOT NULL AND current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION check_campaign_of_interview();
CREATE CONSTRAINT TRIGGER check_interviews_of_campaign AFTER UPDATE OR DELETE ON campaigns
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION check_interviews_of_campaign();

-- Always: replication roles and restores must not switch the gate off.
ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_insert;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_update;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER check_campaign_of_interview;
ALTER TABLE campaigns ENABLE ALWAYS TRIGGER propagate_campaign_live;
ALTER TABLE campaigns ENABLE ALWAYS TRIGGER check_interviews_of_campaign;

-- What every reader reads. Its own columns only: the facts of the gate stay behind it.
CREATE VIEW usable_interviews WITH (security_invoker = true) AS
SELECT
    client_id,
    id,
    campaign_id,
    created_at,
    status,
    duration_seconds,
    nps_score,
    participant_name,
    participant_email,
    interview_type,
    customer_sentiment,
    churn_risk,
    best_quote,
    transcript,
    raw_extraction,
    custom_extraction
FROM interviews
WHERE usable;

-- The filters of the list of interviews, each condition once: pages and bases read through
-- it. The planner inlines it, so that a caller's own conditions and order find their index.
-- No status is the empty string, which no request can carry.
CREATE FUNCTION matching_interviews(client uuid, status text, from_created_at timestamptz, until_created_at timestamptz)
RETURNS SETOF usable_interviews
LANGUAGE sql STABLE AS $$
    SELECT i.*
    FROM usable_interviews AS i
    WHERE i.client_id = client
        AND (matching_interviews.status = '' OR i.status = matching_interviews.status)
        AND i.created_at >= from_created_at
        AND i.created_at < until_created_at
$$;

ALTER TABLE interviews ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON interviews
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON interviews TO CURRENT_USER USING (true) WITH CHECK (true);

GRANT SELECT ON interviews, usable_interviews TO clientintel_server;
GRANT EXECUTE ON FUNCTION matching_interviews(uuid, text, timestamptz, timestamptz) TO clientintel_server;

-- +goose Down
DROP FUNCTION matching_interviews(uuid, text, timestamptz, timestamptz);
DROP VIEW usable_interviews;
DROP TRIGGER check_interviews_of_campaign ON campaigns;
DROP TRIGGER propagate_campaign_live ON campaigns;
DROP TABLE interviews;
DROP FUNCTION check_interviews_of_campaign();
DROP FUNCTION check_campaign_of_interview();
DROP FUNCTION propagate_campaign_live();
DROP FUNCTION fill_campaign_live();
