-- Clients, their campaigns and lanes, and the register of ids. Locks nothing:
-- every table is new.

-- +goose Up
CREATE TABLE clients (
    id uuid PRIMARY KEY,
    slug text NOT NULL CONSTRAINT clients_slug_is_unique UNIQUE DEFERRABLE INITIALLY DEFERRED,
    name text NOT NULL,
    measurement_mode text NOT NULL DEFAULT 'legacy'
        CONSTRAINT clients_mode_is_known CHECK (measurement_mode IN ('legacy', 'canonical')),
    measurement_contract_version text,
    CONSTRAINT clients_canonical_has_a_version
        CHECK (measurement_mode = 'legacy' OR measurement_contract_version IS NOT NULL)
);

CREATE TABLE campaigns (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    slug text NOT NULL,
    display_name text,
    campaign_brief text,
    goal text,
    goal_context text,
    key_questions jsonb
        CONSTRAINT campaigns_key_questions_is_a_list CHECK (jsonb_typeof(key_questions) IN ('array', 'null')),
    target_segment text,
    playbook text,
    cadence text,
    active boolean,
    launch_status text,
    launched_at timestamptz,
    last_refreshed timestamptz,
    created_at timestamptz,
    updated_at timestamptz,
    -- Half of the gate; see interviews.usable.
    live boolean NOT NULL GENERATED ALWAYS AS (
        coalesce(launch_status = 'live', false) AND coalesce(active, true)
    ) STORED,
    PRIMARY KEY (client_id, id),
    CONSTRAINT campaigns_slug_is_unique UNIQUE (client_id, slug) DEFERRABLE INITIALLY DEFERRED,
    -- What an interview refers to: the campaign together with its liveness.
    CONSTRAINT campaigns_liveness_can_be_referred_to UNIQUE (client_id, id, live)
);

-- NULLS LAST as year 1, in index, query and cursor alike.
CREATE INDEX campaigns_page ON campaigns (
    client_id,
    coalesce(created_at, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    id
);

CREATE TABLE lanes (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    slug text NOT NULL,
    display_name text,
    visible boolean NOT NULL,
    PRIMARY KEY (client_id, id),
    CONSTRAINT lanes_slug_is_unique UNIQUE (client_id, slug) DEFERRABLE INITIALLY DEFERRED
);

-- An id belongs to one client for good, also after its record was deleted.
-- Tenant keys lead with client_id and cannot say that, so the importer keeps
-- this register. It is read by the owner only.
CREATE TABLE record_owners (
    kind text NOT NULL,
    id uuid NOT NULL,
    client_id uuid NOT NULL,
    PRIMARY KEY (kind, id)
);

GRANT SELECT ON clients, campaigns, lanes TO clientintel_server;

-- +goose Down
DROP TABLE record_owners;
DROP TABLE lanes;
DROP TABLE campaigns;
DROP TABLE clients;
