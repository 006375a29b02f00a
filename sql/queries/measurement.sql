-- name: GetMeasurement :one
-- GetMeasurement returns what vouches for a client's numbers: its mode, and its
-- membership's count and fingerprint, exact in the reading transaction's
-- snapshot: the state, and what writers have added since it was last folded. A
-- missing state shows as null: the caller refuses to guess. guarded says that
-- everything that keeps the count true is switched on.
SELECT
    c.measurement_mode,
    c.measurement_contract_version,
    s.members AS folded_members,
    a.members AS changed_members,
    (coalesce(s.fingerprint, 0) + a.fingerprint)::text AS fingerprint,
    s.broken_at,
    (SELECT g.stands FROM measurement_guarded AS g)::boolean AS guarded
FROM clients AS c
LEFT JOIN measurement_states AS s ON s.client_id = c.id
LEFT JOIN LATERAL (
    SELECT coalesce(sum(m.members), 0)::bigint AS members, coalesce(sum(m.fingerprint), 0) AS fingerprint
    FROM measurement_changes AS m
    WHERE m.client_id = c.id
) AS a ON true
WHERE c.id = @client_id;

-- name: ListMemberIDs :many
-- ListMemberIDs returns the ids behind a list of interviews, in no order. Ask
-- for one more than a basis may hold, to see whether it may be given at all.
SELECT i.id
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.created_at >= @from_created_at::timestamptz
    AND i.created_at < @until_created_at::timestamptz
LIMIT @max_rows;

-- name: ListMemberIDsOfCampaign :many
-- ListMemberIDsOfCampaign is ListMemberIDs for ListInterviewsOfCampaign.
SELECT i.id
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.campaign_id = @campaign_id::uuid
    AND (@status::text = '' OR i.status = @status::text)
    AND i.created_at >= @from_created_at::timestamptz
    AND i.created_at < @until_created_at::timestamptz
LIMIT @max_rows;

-- name: ListMemberIDsWithStatus :many
-- ListMemberIDsWithStatus is ListMemberIDs for ListInterviewsWithStatus.
SELECT i.id
FROM usable_interviews AS i
WHERE i.client_id = @client_id
    AND i.status = @status::text
    AND i.created_at >= @from_created_at::timestamptz
    AND i.created_at < @until_created_at::timestamptz
LIMIT @max_rows;

-- name: ListMeasuredClients :many
-- ListMeasuredClients lists the canonical clients, or the one client that is
-- named by its id or its slug whatever its mode, for the operator.
SELECT c.id AS client_id, c.slug, c.measurement_mode, c.measurement_contract_version
FROM clients AS c
WHERE CASE
    WHEN @named::text = '' THEN c.measurement_mode = 'canonical'
    ELSE c.slug = @named::text OR c.id::text = lower(@named::text)
END
ORDER BY (c.id::text = lower(@named::text)) DESC, c.slug;

-- name: RestoreMeasurementGuards :one
-- RestoreMeasurementGuards switches on what keeps the count of any client_id.
SELECT restore_measurement_guards();

-- name: ReturnToLegacy :exec
-- ReturnToLegacy switches a client back: its responses carry no totals any more.
UPDATE clients AS c
SET measurement_mode = 'legacy',
    measurement_contract_version = NULL
WHERE c.id = @client_id;
