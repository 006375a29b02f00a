-- Idempotent, and run at every start. The server role is created here, rather than by the
-- owner's migrations, so that the login is its member from the start; the owner may grant
-- it, as if it had created it.
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
-- Its policies let the owner see all rows anyway; this lets it import them by COPY.
ALTER ROLE clientintel_owner LOGIN CREATEROLE BYPASSRLS;
ALTER ROLE clientintel_login LOGIN;
GRANT clientintel_server TO clientintel_owner WITH ADMIN OPTION;
GRANT clientintel_server TO clientintel_login;
