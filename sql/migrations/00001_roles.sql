-- The server role, which answers requests: it owns nothing and is granted, table
-- by table, what it may read. What a release asks of a schema: its version. And the one
-- thing that row-level security asks: which client the transaction is for. Roles belong to the whole cluster, so
-- another database may have made this one already. Locks nothing.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    BEGIN
        CREATE ROLE clientintel_server NOLOGIN;
    EXCEPTION
        WHEN duplicate_object OR unique_violation THEN
            NULL;
        WHEN insufficient_privilege THEN
            RAISE EXCEPTION 'the role clientintel_server is missing and % may not create it', current_user
                USING HINT = 'Grant CREATEROLE to the owner, or let an administrator run: CREATE ROLE clientintel_server NOLOGIN; GRANT clientintel_server TO the owner.';
    END;
    -- From version 16 on, membership alone does not allow SET ROLE.
    IF NOT pg_has_role(current_user, 'clientintel_server',
        CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END)
    THEN
        EXECUTE format('GRANT clientintel_server TO %I', current_user);
    END IF;
END;
$$;
-- +goose StatementEnd

GRANT USAGE ON SCHEMA public TO clientintel_server;
-- A server says "not ready" on a schema that it cannot serve.
GRANT SELECT ON goose_db_version TO clientintel_server;

-- The oldest schema version whose servers can also serve this schema. A migration
-- that removes what older servers need replaces this function with a higher number.
CREATE FUNCTION oldest_served_version() RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 6;

-- The server needs no temporary tables; the owner's import does. Where the owner
-- of the schema does not own the database, its administrator may revoke it.
-- +goose StatementBegin
DO $$
BEGIN
    IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database AS d WHERE d.datname = current_database()) THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO %I', current_database(), current_user);
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
REVOKE SELECT ON goose_db_version FROM clientintel_server;
REVOKE USAGE ON SCHEMA public FROM clientintel_server;
-- +goose StatementBegin
DO $$
BEGIN
    IF (SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database AS d WHERE d.datname = current_database()) THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
    END IF;
END;
$$;
-- +goose StatementEnd
-- The role stays: it is the whole cluster's.
