-- The roles of servers and of commands: each owns nothing and is granted what its work
-- needs. What a release asks of a schema: its version. And the one thing that row-level
-- security asks: which client the transaction is for. Roles belong to the whole cluster, so
-- an administrator (migrate --print-roles) or another database may have made them. Locks
-- nothing.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['clientintel_server', 'clientintel_importer', 'clientintel_keys', 'clientintel_auditor'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = name) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database's migration made it
            END;
        END IF;
        -- From version 16 on, membership alone does not allow SET ROLE.
        IF NOT pg_has_role(current_user, name,
            CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END)
        THEN
            EXECUTE format('GRANT %I TO %I', name, current_user);
        END IF;
    END LOOP;
END;
$$;
-- +goose StatementEnd

GRANT USAGE ON SCHEMA public TO clientintel_server, clientintel_importer, clientintel_keys, clientintel_auditor;
-- A server says "not ready" on a schema that it cannot serve, a command what to run.
GRANT SELECT ON goose_db_version TO clientintel_server, clientintel_importer, clientintel_keys, clientintel_auditor;

-- The oldest schema version whose servers can also serve this schema. A migration
-- that removes what older servers need replaces this function with a higher number.
CREATE FUNCTION oldest_served_version() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 6;

-- Only imports need temporary tables. Where the owner of the schema does not own the
-- database, its administrator may revoke them.
-- +goose StatementBegin
DO $$
BEGIN
    IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database AS d WHERE d.datname = current_database()) THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I, clientintel_importer', current_database(), current_user);
    END IF;
END;
$$;
-- +goose StatementEnd

-- The client of the present transaction; null, which equals nothing, when none is
-- set. Written so that the planner puts its body in place of the call: an index
-- condition, evaluated once.
CREATE FUNCTION current_client_id() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('clientintel.client_id', true), '')::uuid;

-- +goose Down
DROP FUNCTION current_client_id();
DROP FUNCTION oldest_served_version();
REVOKE SELECT ON goose_db_version FROM clientintel_server, clientintel_importer, clientintel_keys, clientintel_auditor;
REVOKE USAGE ON SCHEMA public FROM clientintel_server, clientintel_importer, clientintel_keys, clientintel_auditor;
-- +goose StatementBegin
DO $$
BEGIN
    IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database AS d WHERE d.datname = current_database()) THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
    END IF;
END;
$$;
-- +goose StatementEnd
-- The roles stay: they are the whole cluster's.
