-- Clients with their campaigns, lanes and published documents, and the register of
-- ids. Locks nothing: every table is new.
--
-- Clients are kept apart twice. Every query names its client; and row-level
-- security shows the server nothing else even where a query forgets to. It is
-- forced, so that it binds also a role that comes to own a table. The owner has a
-- policy of its own that lets everything through: it migrates, imports and audits
-- all clients, and the functions through which the server admits and searches run
-- as the owner. Forcing costs the owner two things: COPY … FROM into these tables
-- is refused, and pg_dump needs --enable-row-security.

-- +goose Up
CREATE TABLE clients (
    id uuid PRIMARY KEY,
    slug text NOT NULL CONSTRAINT clients_slug_is_unique UNIQUE DEFERRABLE INITIALLY DEFERRED,
    name text NOT NULL,
    measurement_mode text NOT NULL DEFAULT 'legacy'
        CONSTRAINT clients_mode_is_known CHECK (measurement_mode IN ('legacy', 'canonical')),
    measurement_contract_version text,
    -- The scopes that the client's keys may have; null: all.
    allowed_scopes text[],
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

-- NULLS LAST as the day before year 1, in index, query and cursor alike. Behind row-level security
-- the planner uses a condition for an index only when it cannot leak what it looks
-- at: it knows that of CASE, and not of coalesce, which says the same.
CREATE INDEX campaigns_page ON campaigns (
    client_id,
    (CASE WHEN created_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE created_at END) DESC,
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
    PRIMARY KEY (id, kind)
);

-- When imports ended, for alerts.
CREATE TABLE imports (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    finished_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE synthesis_documents (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    synthesis_type text NOT NULL CONSTRAINT synthesis_documents_type_is_known
        CHECK (synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed', 'playbook', 'creative_concept')),
    lane_id uuid,
    campaign_id uuid,
    document jsonb NOT NULL
        CONSTRAINT synthesis_documents_document_is_an_object CHECK (jsonb_typeof(document) = 'object'),
    contract_version text NOT NULL,
    status text NOT NULL,
    cadence text,
    feed_date date,
    last_refreshed timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (client_id, id),
    CONSTRAINT synthesis_documents_lane_is_the_clients_own
        FOREIGN KEY (client_id, lane_id) REFERENCES lanes (client_id, id) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT synthesis_documents_campaign_is_the_clients_own
        FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns (client_id, id) DEFERRABLE INITIALLY DEFERRED
);

-- NULLS LAST as the day before year 1, as above. Rows of the two types that only the portal has
-- are never listed: skipping them one by one would make a page cost what the
-- client has of them.
CREATE INDEX synthesis_documents_page ON synthesis_documents (
    client_id,
    (CASE WHEN last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE last_refreshed END) DESC,
    updated_at DESC,
    id
) WHERE status = 'published' AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed');

CREATE INDEX synthesis_documents_type_page ON synthesis_documents (
    client_id,
    synthesis_type,
    (CASE WHEN last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE last_refreshed END) DESC,
    updated_at DESC,
    id
) WHERE status = 'published';

-- The day comes last, so that other days are passed over inside the index.
CREATE INDEX synthesis_documents_feed_page ON synthesis_documents (
    client_id,
    (CASE WHEN last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE last_refreshed END) DESC,
    updated_at DESC,
    id,
    feed_date
) WHERE status = 'published' AND feed_date IS NOT NULL;

-- As small as they can be: of two indexes that promise a row each, the planner
-- takes the smaller one, and the larger one has all of a long tie to walk.
CREATE INDEX synthesis_documents_lane_page ON synthesis_documents (
    client_id,
    lane_id,
    (CASE WHEN last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE last_refreshed END) DESC,
    updated_at DESC,
    id
) WHERE status = 'published'
    AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
    AND lane_id IS NOT NULL;

CREATE INDEX synthesis_documents_campaign_page ON synthesis_documents (
    client_id,
    campaign_id,
    (CASE WHEN last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE last_refreshed END) DESC,
    updated_at DESC,
    id
) WHERE status = 'published'
    AND synthesis_type IN ('lane', 'campaign', 'home', 'daily_feed')
    AND campaign_id IS NOT NULL;

CREATE INDEX synthesis_documents_lane_reference ON synthesis_documents (client_id, lane_id);
CREATE INDEX synthesis_documents_campaign_reference ON synthesis_documents (client_id, campaign_id);

CREATE TABLE measurement_snapshots (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    as_of timestamptz NOT NULL,
    measurement_contract_version text NOT NULL,
    scope_hash text NOT NULL CONSTRAINT measurement_snapshots_scope_hash_is_hex CHECK (scope_hash ~ '^[0-9a-f]{64}$'),
    membership_hash text NOT NULL
        CONSTRAINT measurement_snapshots_membership_hash_is_hex CHECK (membership_hash ~ '^[0-9a-f]{64}$'),
    source_interview_ids uuid[] NOT NULL,
    source_count bigint NOT NULL CONSTRAINT measurement_snapshots_count_is_one CHECK (source_count >= 0),
    PRIMARY KEY (client_id, id)
);

CREATE TABLE portal_documents (
    client_id uuid NOT NULL REFERENCES clients (id) DEFERRABLE INITIALLY DEFERRED,
    id uuid NOT NULL,
    type text NOT NULL CONSTRAINT portal_documents_type_is_known
        CHECK (type IN ('home', 'daily_feed', 'lane', 'campaign', 'playbook', 'creative_concept')),
    lane_id uuid,
    campaign_id uuid,
    feed_date date,
    body jsonb NOT NULL CONSTRAINT portal_documents_body_is_an_object CHECK (jsonb_typeof(body) = 'object'),
    status text NOT NULL,
    published_at timestamptz,
    measurement_snapshot_id uuid,
    PRIMARY KEY (client_id, id),
    CONSTRAINT portal_documents_lane_is_the_clients_own
        FOREIGN KEY (client_id, lane_id) REFERENCES lanes (client_id, id) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT portal_documents_campaign_is_the_clients_own
        FOREIGN KEY (client_id, campaign_id) REFERENCES campaigns (client_id, id) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT portal_documents_snapshot_is_the_clients_own
        FOREIGN KEY (client_id, measurement_snapshot_id) REFERENCES measurement_snapshots (client_id, id)
        DEFERRABLE INITIALLY DEFERRED,
    -- A body is served as it is. It must not claim what the server alone attests,
    -- nor be mistaken for a row of the collection.
    CONSTRAINT portal_documents_body_claims_no_integrity CHECK (NOT body ? 'measurement_integrity'),
    CONSTRAINT portal_documents_body_is_told_from_a_row
        CHECK (NOT body ?& ARRAY['synthesis_type', 'document', 'contract_version'])
);

CREATE INDEX portal_documents_page ON portal_documents (
    client_id,
    type,
    (CASE WHEN feed_date IS NULL THEN '0001-12-31 BC'::date ELSE feed_date END) DESC,
    (CASE WHEN published_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE published_at END) DESC,
    id
) WHERE status = 'published';

CREATE INDEX portal_documents_lane_page ON portal_documents (
    client_id,
    lane_id,
    (CASE WHEN feed_date IS NULL THEN '0001-12-31 BC'::date ELSE feed_date END) DESC,
    (CASE WHEN published_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE published_at END) DESC,
    id
) WHERE status = 'published' AND type = 'lane' AND lane_id IS NOT NULL;

CREATE INDEX portal_documents_campaign_page ON portal_documents (
    client_id,
    campaign_id,
    (CASE WHEN feed_date IS NULL THEN '0001-12-31 BC'::date ELSE feed_date END) DESC,
    (CASE WHEN published_at IS NULL THEN '0001-12-31 00:00:00+00 BC'::timestamptz ELSE published_at END) DESC,
    id
) WHERE status = 'published' AND type = 'campaign' AND campaign_id IS NOT NULL;

CREATE INDEX portal_documents_lane_reference ON portal_documents (client_id, lane_id);
CREATE INDEX portal_documents_campaign_reference ON portal_documents (client_id, campaign_id);
CREATE INDEX portal_documents_snapshot_reference ON portal_documents (client_id, measurement_snapshot_id);

-- Which documents are visible, written once. This one is what collection mode
-- reads. The lane is asked in a subquery and not joined: a join could be planned so
-- that the index's order is lost.
CREATE VIEW visible_synthesis_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
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
    (CASE WHEN d.last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC' ELSE d.last_refreshed END)::timestamptz AS refreshed_key
FROM synthesis_documents AS d
WHERE d.status = 'published'
    AND (
        d.lane_id IS NULL
        OR (
            SELECT l.visible
            FROM lanes AS l
            WHERE l.client_id = d.client_id
                AND l.id = d.lane_id
        )
    );

-- What portal mode reads.
CREATE VIEW visible_portal_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.type,
    d.lane_id,
    d.campaign_id,
    d.feed_date,
    d.body,
    d.measurement_snapshot_id,
    (CASE WHEN d.feed_date IS NULL THEN '0001-12-31 BC' ELSE d.feed_date END)::date AS feed_key,
    (CASE WHEN d.published_at IS NULL THEN '0001-12-31 00:00:00+00 BC' ELSE d.published_at END)::timestamptz AS published_key
FROM portal_documents AS d
WHERE d.status = 'published'
    AND (
        d.lane_id IS NULL
        OR (
            SELECT l.visible
            FROM lanes AS l
            WHERE l.client_id = d.client_id
                AND l.id = d.lane_id
        )
    );

ALTER TABLE clients ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON clients
    FOR SELECT TO clientintel_server USING (id = current_client_id());
CREATE POLICY owner_accesses_every_client ON clients TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE campaigns ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON campaigns
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON campaigns TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE lanes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON lanes
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON lanes TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE synthesis_documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON synthesis_documents
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON synthesis_documents TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE measurement_snapshots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON measurement_snapshots
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON measurement_snapshots TO CURRENT_USER USING (true) WITH CHECK (true);
ALTER TABLE portal_documents ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY server_reads_current_client ON portal_documents
    FOR SELECT TO clientintel_server USING (client_id = current_client_id());
CREATE POLICY owner_accesses_every_client ON portal_documents TO CURRENT_USER USING (true) WITH CHECK (true);

GRANT SELECT ON clients, campaigns, lanes, synthesis_documents, measurement_snapshots, portal_documents,
    visible_synthesis_documents, visible_portal_documents TO clientintel_server;

-- +goose Down
DROP VIEW visible_portal_documents;
DROP VIEW visible_synthesis_documents;
DROP TABLE portal_documents;
DROP TABLE measurement_snapshots;
DROP TABLE synthesis_documents;
DROP TABLE imports;
DROP TABLE record_owners;
DROP TABLE lanes;
DROP TABLE campaigns;
DROP TABLE clients;
