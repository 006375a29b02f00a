-- Interviews and the gate. Locks nothing: the table is new.
--
-- The gate is one generated column, interviews.usable, so no writer can set it
-- and no reader can forget a part of it. A generated column cannot look at the
-- campaign's row; campaign_live brings that fact over, and a foreign key on
-- (campaign, live) makes a wrong copy impossible, whatever races.

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
CREATE INDEX interviews_campaign_page ON interviews (client_id, campaign_id, created_at DESC, id)
    WHERE usable;
-- The gate lets two statuses through, so the key is bounded and each is dense or rare.
CREATE INDEX interviews_status_page ON interviews (client_id, status, created_at DESC, id)
    WHERE usable;
-- For the campaign that ends or goes live, and for the foreign key's own look-ups.
CREATE INDEX interviews_campaign_reference ON interviews (client_id, campaign_id)
    WHERE campaign_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION fill_campaign_live() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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
CREATE FUNCTION pass_liveness_on() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
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

CREATE TRIGGER pass_liveness_on AFTER UPDATE ON campaigns
    FOR EACH ROW WHEN (NEW.live IS DISTINCT FROM OLD.live)
    EXECUTE FUNCTION pass_liveness_on();

-- Always: replication roles and restores must not switch the gate off.
ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_insert;
ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_update;
ALTER TABLE campaigns ENABLE ALWAYS TRIGGER pass_liveness_on;

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

GRANT SELECT ON interviews, usable_interviews TO clientintel_server;

-- +goose Down
DROP VIEW usable_interviews;
DROP TRIGGER pass_liveness_on ON campaigns;
DROP TABLE interviews;
DROP FUNCTION pass_liveness_on();
DROP FUNCTION fill_campaign_live();
