-- Idempotent, and run at every start. The server role is created here, rather than by the
-- owner's migrations, so that the login is its member from the start; the owner may grant
-- it, as if it had created it.
--
-- Everybody has the password, which quoting would not change. A cluster that was made
-- before there was one still trusted whoever reached its socket.
SET log_statement = 'none';
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['clientintel_owner', 'clientintel_server', 'clientintel_login'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I', name);
        END IF;
    END LOOP;
END
$$;
ALTER ROLE postgres PASSWORD 'PASSWORD';
-- Its policies let the owner see all rows anyway; this lets it import them by COPY.
ALTER ROLE clientintel_owner LOGIN CREATEROLE BYPASSRLS PASSWORD 'PASSWORD';
ALTER ROLE clientintel_login LOGIN PASSWORD 'PASSWORD';
GRANT clientintel_server TO clientintel_owner WITH ADMIN OPTION;
GRANT clientintel_server TO clientintel_login;
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_hba_file_rules WHERE auth_method = 'trust') THEN
        EXECUTE format($copy$COPY (VALUES ('local all all scram-sha-256'), ('host all all all reject')) TO %L$copy$, current_setting('hba_file'));
        PERFORM pg_reload_conf();
    END IF;
END
$$;
