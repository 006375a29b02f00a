-- Whether all that keeps the membership's count true is switched on, in one look
-- at the catalog: every response asks, and a look at each guard cost a response
-- as much as a third of its page. Locks nothing: a new view.

-- +goose Up
CREATE VIEW measurement_guarded WITH (security_invoker = true) AS
SELECT
    count(*) FILTER (
        WHERE t.tgenabled = 'A'
            AND t.tgname = ANY (ARRAY[
                'fill_campaign_live_on_insert', 'fill_campaign_live_on_update', 'check_campaign_of_interview',
                'count_inserted_members', 'count_updated_members', 'count_deleted_members', 'count_truncated_members',
                'pass_liveness_on', 'check_interviews_of_campaign', 'fold_measurement_changes', 'open_measurement_state'
            ]::name[])
    ) = 11
    -- The foreign key between interviews and campaigns works through four triggers
    -- of its own, two on either side.
    AND count(*) FILTER (
        WHERE t.tgisinternal
            AND t.tgenabled IN ('O', 'A')
            AND (
                t.tgrelid = 'interviews'::regclass AND t.tgconstrrelid = 'campaigns'::regclass
                OR t.tgrelid = 'campaigns'::regclass AND t.tgconstrrelid = 'interviews'::regclass
            )
    ) = 4 AS stands
FROM pg_catalog.pg_trigger AS t
WHERE t.tgrelid = ANY (ARRAY[
    'interviews'::regclass, 'campaigns'::regclass, 'measurement_changes'::regclass, 'clients'::regclass
]::oid[]);

GRANT SELECT ON measurement_guarded TO clientintel_server;

-- +goose Down
DROP VIEW measurement_guarded;
