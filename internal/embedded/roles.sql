-- After those of sql/roles, and like them run at every start: the owner of a database for
-- trial, and the server's login.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'clientintel_login') THEN
        CREATE ROLE clientintel_login;
    END IF;
END
$$;
-- Its policies let the owner see all rows anyway; BYPASSRLS lets it import them by COPY.
ALTER ROLE clientintel_owner LOGIN NOCREATEROLE BYPASSRLS;
ALTER ROLE clientintel_login LOGIN;
GRANT clientintel_server TO clientintel_login;
