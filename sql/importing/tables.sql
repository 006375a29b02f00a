-- The temporary tables of an import, which makes them when it begins. sqlc reads them beside
-- the migrations.

-- import_lines has the input, a row of each line, with the columns of every kind. Nothing is
-- compressed or moved out of line twice.
CREATE TEMPORARY TABLE import_lines (
    line bigint,
    kind text,
    client_id uuid,
    id uuid,
    deletes boolean,
    slug text,
    name text,
    measurement_mode text,
    measurement_contract_version text,
    allowed_scopes text[],
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
    launched_at timestamptz,
    last_refreshed timestamptz,
    created_at timestamptz,
    updated_at timestamptz,
    visible boolean,
    campaign_id uuid,
    duration_seconds double precision,
    nps_score double precision,
    is_test boolean,
    reportable boolean,
    client_safe boolean,
    status text,
    quality text,
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
    synthesis_type text,
    lane_id uuid,
    document jsonb,
    contract_version text,
    feed_date date,
    type text,
    body jsonb,
    published_at timestamptz,
    measurement_snapshot_id uuid,
    as_of timestamptz,
    scope_hash text,
    membership_hash text,
    source_interview_ids uuid[],
    source_count bigint,
    prefix text,
    secret_hash bytea,
    scopes text[],
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    key_id uuid,
    at timestamptz,
    seq bigint,
    route text
) WITH (toast_tuple_target = 8160) ON COMMIT DROP;

-- import_keys has what becomes of each record. Those that the input lacks have no line.
CREATE TEMPORARY TABLE import_keys (
    line bigint,
    kind text NOT NULL,
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    deletes boolean NOT NULL,
    slug text,
    campaign_id uuid,
    lane_id uuid,
    measurement_snapshot_id uuid
) ON COMMIT DROP;

-- import_stored has what is there already of the kinds that others refer to.
CREATE TEMPORARY TABLE import_stored (
    kind text NOT NULL,
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text
) ON COMMIT DROP;

CREATE TEMPORARY TABLE import_api_keys (
    line bigint NOT NULL,
    kind text NOT NULL,
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    prefix text NOT NULL,
    name text NOT NULL,
    secret_hash bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
) ON COMMIT DROP;

CREATE TEMPORARY TABLE import_request_log (
    line bigint NOT NULL,
    kind text NOT NULL,
    client_id uuid NOT NULL,
    key_id uuid NOT NULL,
    at timestamptz NOT NULL,
    seq bigint NOT NULL,
    route text NOT NULL
) ON COMMIT DROP;
