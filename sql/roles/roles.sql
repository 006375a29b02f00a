-- The roles of clientintel. A superuser, or a role with CREATEROLE, runs this before the
-- first migration; running it again changes nothing.
DO $$
DECLARE
    missing text;
BEGIN
    FOR missing IN
        SELECT n.name
        FROM unnest(ARRAY['clientintel_server', 'clientintel_importer', 'clientintel_keys', 'clientintel_auditor']) AS n (name)
        WHERE NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = n.name)
    LOOP
        EXECUTE format('CREATE ROLE %I NOLOGIN', missing);
    END LOOP;
    -- The owner of the schema needs no CREATEROLE. Its commands take these roles.
    IF NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = 'clientintel_owner') THEN
        CREATE ROLE "clientintel_owner" LOGIN;
    END IF;
END;
$$;
GRANT clientintel_server, clientintel_importer, clientintel_keys, clientintel_auditor TO "clientintel_owner";
