-- The server role: what answers requests. It owns nothing and is granted, table
-- by table, what it may read. Roles belong to the whole cluster, so another
-- database may have made it already. Locks nothing.

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

-- +goose Down
REVOKE USAGE ON SCHEMA public FROM clientintel_server;
