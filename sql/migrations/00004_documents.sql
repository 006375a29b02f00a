-- Published synthesis: collection rows, frozen portal bodies, and the saved
-- measurement bases behind those bodies. Locks nothing: every table is new.

-- +goose Up
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

-- NULLS LAST as year 1, in index, query and cursor alike.
CREATE INDEX synthesis_documents_page ON synthesis_documents (
    client_id,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published';
CREATE INDEX synthesis_documents_type_page ON synthesis_documents (
    client_id,
    synthesis_type,
    coalesce(last_refreshed, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    updated_at DESC,
    id
) WHERE status = 'published';
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
        DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX portal_documents_page ON portal_documents (
    client_id,
    type,
    coalesce(feed_date, '0001-01-01'::date) DESC,
    coalesce(published_at, '0001-01-01 00:00:00+00'::timestamptz) DESC,
    id
) WHERE status = 'published';
CREATE INDEX portal_documents_lane_reference ON portal_documents (client_id, lane_id);
CREATE INDEX portal_documents_campaign_reference ON portal_documents (client_id, campaign_id);
CREATE INDEX portal_documents_snapshot_reference ON portal_documents (client_id, measurement_snapshot_id);

GRANT SELECT ON synthesis_documents, measurement_snapshots, portal_documents TO clientintel_server;

-- +goose Down
DROP TABLE portal_documents;
DROP TABLE measurement_snapshots;
DROP TABLE synthesis_documents;
