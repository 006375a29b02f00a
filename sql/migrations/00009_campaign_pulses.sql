-- A campaign's chart is read from its index alone, as a client's is. Locks
-- interviews against writes while the index is built.

-- +goose Up
DROP INDEX interviews_campaign_page;
-- Only bounded columns may be included: an index tuple over 2.7 KB fails the insert.
CREATE INDEX interviews_campaign_page ON interviews (client_id, campaign_id, created_at DESC, id)
    INCLUDE (nps_score) WHERE usable;

-- +goose Down
DROP INDEX interviews_campaign_page;
CREATE INDEX interviews_campaign_page ON interviews (client_id, campaign_id, created_at DESC, id)
    WHERE usable;
