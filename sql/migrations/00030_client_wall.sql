-- The second wall between clients: row-level security. The first is that every
-- query names its client; behind this one the server sees nothing else even where
-- a query forgets to. Locks each table against everything for a moment.
--
-- It is forced, so that it binds also a role that comes to own a table, and the
-- owner therefore has a policy of its own, which lets everything through: it
-- migrates, imports and audits all clients, and the functions through which the
-- server admits, searches and keeps house run as the owner. What forcing costs the
-- owner: COPY … FROM into these tables is refused, and pg_dump wants
-- --enable-row-security.

-- +goose Up

-- The client of the present transaction; null, which equals nothing, when none is
-- set. Written so that the planner puts its body in place of the call: an index
-- condition, evaluated once.
CREATE FUNCTION transaction_client() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('clientintel.client_id', true), '')::uuid;

-- +goose StatementBegin
DO $$
DECLARE
    walled record;
BEGIN
    FOR walled IN
        SELECT
            c.oid::regclass AS name,
            pg_get_userbyid(c.relowner) AS owner,
            CASE WHEN c.relname = 'clients' THEN 'id' ELSE 'client_id' END AS client
        FROM pg_class AS c
        WHERE c.oid IN (
            'clients'::regclass,
            'campaigns'::regclass,
            'lanes'::regclass,
            'interviews'::regclass,
            'synthesis_documents'::regclass,
            'portal_documents'::regclass,
            'measurement_snapshots'::regclass,
            'measurement_states'::regclass,
            'measurement_changes'::regclass,
            'search_documents'::regclass
        )
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', walled.name);
        EXECUTE format(
            'CREATE POLICY server_sees_the_transactions_client ON %s FOR SELECT TO clientintel_server USING (%I = transaction_client())',
            walled.name, walled.client);
        EXECUTE format(
            'CREATE POLICY owner_sees_every_client ON %s TO %I USING (true) WITH CHECK (true)',
            walled.name, walled.owner);
    END LOOP;
END;
$$;
-- +goose StatementEnd

-- It reads the catalog alone, which is no tenant's; but every view reads as who asks.
ALTER VIEW measurement_guards SET (security_invoker = true);

-- +goose Down
ALTER VIEW measurement_guards RESET (security_invoker);
-- +goose StatementBegin
DO $$
DECLARE
    walled record;
BEGIN
    FOR walled IN SELECT p.polrelid::regclass AS name FROM pg_policy AS p WHERE p.polname = 'owner_sees_every_client' LOOP
        EXECUTE format('DROP POLICY server_sees_the_transactions_client ON %s', walled.name);
        EXECUTE format('DROP POLICY owner_sees_every_client ON %s', walled.name);
        EXECUTE format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY', walled.name);
    END LOOP;
END;
$$;
-- +goose StatementEnd
DROP FUNCTION transaction_client();
