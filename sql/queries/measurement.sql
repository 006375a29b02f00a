-- name: BeginRead :one
-- BeginRead must be the first statement of a response's transaction, whose snapshot it
-- takes. It sets the client client_id, which row-level security asks for, and the time that
-- a statement may take, as PostgreSQL writes it; and returns the provenance of the client's
-- numbers, exact in that snapshot. Without a mode the client is gone; without members it has
-- no state, and the response is refused.
SELECT b.as_of::timestamptz AS as_of, b.mode, b.contract_version, b.members, b.broken_at
FROM begin_read(@client_id::uuid, @statement_timeout::text) AS b;

-- name: CheckTriggers :one
-- CheckTriggers names the triggers and foreign keys that keep the count and are switched off;
-- none is the empty string.
SELECT coalesce(string_agg(format('%s on %s', t.name, t.relation), ', ' ORDER BY t.name), '')::text AS disabled
FROM measurement_triggers AS t
WHERE NOT t.enabled;

-- name: ListMeasuredClients :many
-- ListMeasuredClients lists for the operator the canonical clients or, with every_mode,
-- all; or the one client that is named by its id or its slug, whatever its mode.
SELECT c.id AS client_id, c.slug, c.measurement_mode, c.measurement_contract_version
FROM clients AS c
WHERE CASE
    WHEN @named::text = '' THEN @every_mode::boolean OR c.measurement_mode = 'canonical'
    ELSE c.slug = @named::text OR c.id::text = lower(@named::text)
END
ORDER BY (c.id::text = lower(@named::text)) DESC, c.slug;

-- name: AuditMeasurement :one
-- AuditMeasurement compares client_id's state with the facts, and marks a canonical
-- client that differs. members is null when the state is missing.
SELECT
    a.members,
    a.found_members::bigint AS found_members,
    a.misjudged::bigint AS misjudged,
    a.fault,
    a.broken_at,
    a.broken_reason,
    extract(epoch FROM a.took)::double precision AS seconds
FROM audit_measurement(@client_id::uuid) AS a;

-- name: AuditNextMeasurement :one
-- AuditNextMeasurement audits the canonical client that was audited longest ago, if
-- one is due; client_id is null when none is, and took is zero. idle is how long none will be due,
-- broken_clients how many are refused.
SELECT
    a.client_id,
    a.fault,
    coalesce(a.took, '0')::interval AS took,
    a.idle::interval AS idle,
    a.broken_clients::bigint AS broken_clients
FROM audit_next_measurement(@every::interval, @rest::integer) AS a;

-- name: MergeMeasurementChanges :exec
-- MergeMeasurementChanges adds to the clients' states what writers have changed.
SELECT merge_measurement_changes();

-- name: IsStandby :one
-- IsStandby reports whether the database server is a standby.
SELECT pg_is_in_recovery()::boolean AS standby;

-- name: RebuildMeasurement :one
-- RebuildMeasurement makes client_id's state right again, and clears its mark.
SELECT
    m.rejudged::bigint AS rejudged,
    m.corrected::bigint AS corrected,
    m.changed::boolean AS changed,
    m.was_broken::boolean AS was_broken,
    m.members::bigint AS members
FROM rebuild_measurement(@client_id::uuid) AS m;

-- name: CutOverMeasurement :one
-- CutOverMeasurement switches client_id to canonical, unless fault is the reason why not.
SELECT m.members::bigint AS members, m.fault
FROM cut_over_measurement(@client_id::uuid, @contract_version::text) AS m;

-- name: ReturnToLegacy :exec
-- ReturnToLegacy switches a client back: its responses carry no totals any more.
UPDATE clients AS c
SET measurement_mode = 'legacy',
    measurement_contract_version = NULL
WHERE c.id = @client_id;
