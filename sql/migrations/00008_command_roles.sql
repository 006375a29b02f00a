-- What the roles of commands may do. Locks nothing that is in use: they are new.
--
--     importer  import, sync, erase, clients: every client's records, no keys
--     keys      issues, rotates and revokes keys, reads their use: no client's records
--     auditor   reads keys, their audits and use, and the log of imports
--
-- No role but the owner reads the hash of a secret or the cursors' secret.

-- +goose Up
SET LOCAL lock_timeout = '5s';

GRANT SELECT, INSERT, UPDATE, DELETE ON clients, campaigns, lanes, interviews, synthesis_documents, portal_documents,
    measurement_snapshots, record_owners, imports, suppressed_interviews TO clientintel_importer;
GRANT SELECT, DELETE ON measurement_changes TO clientintel_importer;
GRANT SELECT ON measurement_states, search_documents, usable_interviews, searched_interviews TO clientintel_importer;
-- Which keys a client has in force, and no more.
GRANT SELECT (prefix, client_id, expires_at, revoked_at) ON api_keys TO clientintel_importer;
GRANT EXECUTE ON FUNCTION index_search_documents TO clientintel_importer;

GRANT SELECT ON clients TO clientintel_keys, clientintel_auditor;
GRANT SELECT (prefix, id, client_id, name, scopes, created_at, expires_at, revoked_at, last_used_at, created_by) ON api_keys
    TO clientintel_keys, clientintel_auditor;
GRANT SELECT (idempotency_key) ON api_keys TO clientintel_keys;
GRANT SELECT ON key_audits, key_usage, usage_sums, request_log TO clientintel_keys, clientintel_auditor;
GRANT SELECT ON imports TO clientintel_auditor;
GRANT INSERT (prefix, id, client_id, name, secret_hash, scopes, expires_at, created_by, idempotency_key), UPDATE (revoked_at) ON api_keys TO clientintel_keys;
-- The rest of a row is the database's: nobody chooses the time, the login or its address.
GRANT INSERT (client_id, action, key_id, account, actor, caller_address, reason, detail) ON key_audits TO clientintel_keys;

-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'clients', 'campaigns', 'lanes', 'interviews', 'synthesis_documents', 'portal_documents', 'measurement_snapshots',
        'measurement_states', 'measurement_changes', 'search_documents'
    ] LOOP
        EXECUTE format('CREATE POLICY importer_accesses_every_client ON %I TO clientintel_importer USING (true) WITH CHECK (true)', name);
    END LOOP;
    -- VACUUM and ANALYZE after an import; before version 17 they are autovacuum's or the owner's.
    IF current_setting('server_version_num')::integer >= 170000 THEN
        GRANT MAINTAIN ON clients, campaigns, lanes, interviews, search_documents, synthesis_documents, portal_documents,
            measurement_snapshots TO clientintel_importer;
    END IF;
END;
$$;
-- +goose StatementEnd
CREATE POLICY commands_read_every_client ON clients FOR SELECT TO clientintel_keys, clientintel_auditor USING (true);

-- delete_future_requests removes a key's log rows that are dated after the present, and no
-- other: whoever could delete more could clear the limiter's window. It waits for
-- admissions under way, as admit does.
-- +goose StatementBegin
CREATE FUNCTION delete_future_requests(client uuid, key uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    removed bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(k.prefix, 600))
    FROM public.api_keys AS k
    WHERE k.client_id = delete_future_requests.client
        AND k.id = delete_future_requests.key;
    DELETE FROM public.request_log AS l
    WHERE l.client_id = delete_future_requests.client
        AND l.key_id = delete_future_requests.key
        AND l.at > clock_timestamp();
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END;
$$;
-- +goose StatementEnd

-- delete_keys deletes keys of clients that are to be deleted: all with what is logged of
-- them, or the revoked ones alone. It keeps when each was revoked, so that no older export
-- brings it back, and their audits. A request that is admitted meanwhile is waited for, in
-- the order of admit.
-- +goose StatementBegin
CREATE FUNCTION delete_keys(
    client_ids uuid[], only_revoked boolean, account text,
    OUT keys bigint, OUT log_rows bigint, OUT usage_rows bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    log_rows := 0;
    usage_rows := 0;
    IF NOT only_revoked THEN
        PERFORM pg_advisory_xact_lock(r.lock)
        FROM unnest((
            SELECT array_agg(DISTINCT hashtextextended(k.prefix, 600))
            FROM public.api_keys AS k
            WHERE k.client_id = ANY (client_ids)
        )) AS r (lock);
    END IF;
    WITH deleted AS (
        DELETE FROM public.api_keys AS k
        WHERE k.client_id = ANY (client_ids)
            AND (NOT only_revoked OR k.revoked_at <= now())
        RETURNING k.client_id, k.id, k.prefix, k.name, k.revoked_at
    ),

    remembered AS (
        INSERT INTO public.revoked_keys AS r (client_id, prefix, revoked_at)
        SELECT d.client_id, d.prefix, d.revoked_at
        FROM deleted AS d
        WHERE d.revoked_at IS NOT NULL
        ON CONFLICT (client_id, prefix) DO UPDATE SET revoked_at = least(r.revoked_at, excluded.revoked_at)
    ),

    audited AS (
        INSERT INTO public.key_audits (client_id, action, key_id, account, actor, detail)
        SELECT d.client_id, 'purge', d.id, delete_keys.account, delete_keys.account, d.prefix
        FROM deleted AS d
    )

    SELECT count(*) INTO keys FROM deleted;
    IF NOT only_revoked THEN
        DELETE FROM public.request_log AS l WHERE l.client_id = ANY (client_ids);
        GET DIAGNOSTICS log_rows = ROW_COUNT;
        DELETE FROM public.key_usage AS u WHERE u.client_id = ANY (client_ids);
        GET DIAGNOSTICS usage_rows = ROW_COUNT;
        DELETE FROM public.usage_sums AS u WHERE u.client_id = ANY (client_ids);
    END IF;
END;
$$;
-- +goose StatementEnd

-- The console's cursors have a secret of their own: those of the client API stay unreadable.
INSERT INTO server_secrets (name, secret)
VALUES ('console cursor', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

CREATE FUNCTION read_console_secret() RETURNS bytea
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
RETURN (SELECT s.secret FROM public.server_secrets AS s WHERE s.name = 'console cursor');

REVOKE EXECUTE ON FUNCTION delete_future_requests, delete_keys, read_console_secret FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_future_requests, read_console_secret TO clientintel_keys;
GRANT EXECUTE ON FUNCTION delete_keys TO clientintel_importer;

-- +goose Down
DELETE FROM server_secrets WHERE name = 'console cursor';
DROP FUNCTION read_console_secret;
DROP FUNCTION delete_keys;
DROP FUNCTION delete_future_requests;
DROP POLICY commands_read_every_client ON clients;
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'clients', 'campaigns', 'lanes', 'interviews', 'synthesis_documents', 'portal_documents', 'measurement_snapshots',
        'measurement_states', 'measurement_changes', 'search_documents'
    ] LOOP
        EXECUTE format('DROP POLICY importer_accesses_every_client ON %I', name);
    END LOOP;
END;
$$;
-- +goose StatementEnd
REVOKE ALL ON clients, campaigns, lanes, interviews, synthesis_documents, portal_documents, measurement_snapshots, record_owners,
    imports, suppressed_interviews, measurement_changes, measurement_states, search_documents, usable_interviews, searched_interviews,
    api_keys, key_audits, key_usage, usage_sums, request_log
    FROM clientintel_importer, clientintel_keys, clientintel_auditor;
REVOKE EXECUTE ON FUNCTION index_search_documents FROM clientintel_importer;
