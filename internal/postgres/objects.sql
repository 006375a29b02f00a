-- What migrations make, as the catalog has it: of each object its definition, which
-- equals another's exactly when it does the same, and statements that make it anew.
-- Day partitions come and go, and what an extension brought is its own.
WITH relations AS (
    SELECT c.oid, c.oid::regclass::text AS name, c.relkind, c.relowner, c.relacl, c.relrowsecurity, c.relforcerowsecurity, c.reloptions
    FROM pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace
        AND c.relkind IN ('r', 'p', 'v')
        AND NOT c.relispartition
        AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
),

functions AS (
    SELECT p.*, p.oid::regprocedure::text AS name
    FROM pg_proc AS p
    WHERE p.pronamespace = 'public'::regnamespace
        AND p.prokind = 'f'
        AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
),

trigram_home AS (
    SELECT n.nspname::text AS name
    FROM pg_extension AS e
    JOIN pg_namespace AS n ON n.oid = e.extnamespace
    WHERE e.extname = 'pg_trgm'
),

acls AS (
    SELECT r.name AS object, coalesce(r.relacl, acldefault('r', r.relowner)) AS acl FROM relations AS r
    UNION ALL
    SELECT 'FUNCTION ' || f.name, coalesce(f.proacl, acldefault('f', f.proowner)) FROM functions AS f
),

grants AS (
    SELECT
        a.object,
        g.name AS grantee,
        coalesce((
            SELECT string_agg(x.privilege_type, ', ' ORDER BY x.privilege_type)
            FROM aclexplode(a.acl) AS x
            WHERE x.grantee = coalesce((SELECT s.oid FROM pg_roles AS s WHERE s.rolname = g.name), 0)
        ), '') AS privileges
    FROM acls AS a
    CROSS JOIN (VALUES ('clientintel_server'), ('public')) AS g (name)
),

objects AS (
    SELECT
        1 AS rank, 'function' AS kind, f.name,
        concat_ws(' ', coalesce(nullif(f.prosrc, ''), pg_get_function_sqlbody(f.oid)), f.provolatile, f.proparallel, f.prosecdef, f.proisstrict,
            replace(f.proconfig::text, 'pg_catalog, ' || (SELECT h.name FROM trigram_home AS h) || ', pg_temp', 'pg_catalog, trigrams, pg_temp'),
            pg_get_function_result(f.oid)) AS definition,
        pg_get_functiondef(f.oid) AS repair
    FROM functions AS f
    UNION ALL
    SELECT 2, 'view', r.name, r.reloptions::text,
        format('CREATE OR REPLACE VIEW %s WITH (%s) AS %s', r.name, array_to_string(r.reloptions, ', '), pg_get_viewdef(r.oid))
    FROM relations AS r
    WHERE r.relkind = 'v'
    UNION ALL
    SELECT 3, 'row-level security', r.name, concat_ws(' ', r.relrowsecurity, r.relforcerowsecurity),
        format('ALTER TABLE %s %s ROW LEVEL SECURITY, %s ROW LEVEL SECURITY', r.name,
            CASE WHEN r.relrowsecurity THEN 'ENABLE' ELSE 'DISABLE' END, CASE WHEN r.relforcerowsecurity THEN 'FORCE' ELSE 'NO FORCE' END)
    FROM relations AS r
    WHERE r.relkind <> 'v'
    UNION ALL
    SELECT 4, 'policy', format('%I on %s', p.polname, r.name),
        concat_ws(' ', p.polcmd, p.polpermissive, p.roles, p.condition, p.check_condition),
        format('DROP POLICY IF EXISTS %1$I ON %2$s; CREATE POLICY %1$I ON %2$s AS %3$s FOR %4$s TO %5$s%6$s%7$s', p.polname, r.name,
            CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
            p.roles, ' USING (' || p.condition || ')', ' WITH CHECK (' || p.check_condition || ')')
    FROM relations AS r
    JOIN LATERAL (
        SELECT q.*, pg_get_expr(q.polqual, q.polrelid) AS condition, pg_get_expr(q.polwithcheck, q.polrelid) AS check_condition,
            (
                SELECT string_agg(CASE WHEN x = 0 THEN 'PUBLIC' WHEN x = r.relowner THEN 'CURRENT_USER' ELSE x::regrole::text END, ', ' ORDER BY x)
                FROM unnest(q.polroles) AS x
            ) AS roles
        FROM pg_policy AS q
        WHERE q.polrelid = r.oid
    ) AS p ON true
    UNION ALL
    SELECT 5, 'trigger', format('%I on %s', t.tgname, r.name), concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled),
        format('DROP TRIGGER IF EXISTS %1$I ON %2$s; %3$s; ALTER TABLE %2$s ENABLE %4$s TRIGGER %1$I', t.tgname, r.name,
            pg_get_triggerdef(t.oid), CASE t.tgenabled WHEN 'A' THEN 'ALWAYS' ELSE '' END)
    FROM pg_trigger AS t
    JOIN relations AS r ON r.oid = t.tgrelid
    WHERE NOT t.tgisinternal
        AND t.tgparentid = 0
    UNION ALL
    -- A foreign key works through triggers of its own, which a superuser can disable.
    SELECT CASE WHEN k.contype = 'f' THEN 7 ELSE 6 END, 'constraint', format('%I on %s', k.conname, r.name),
        concat_ws(' ', pg_get_constraintdef(k.oid), k.convalidated,
            (SELECT x.indisvalid AND x.indisready AND x.indislive FROM pg_index AS x WHERE x.indexrelid = k.conindid AND k.contype IN ('p', 'u')),
            (SELECT bool_and(t.tgenabled IN ('O', 'A')) FROM pg_trigger AS t WHERE t.tgconstraint = k.oid)),
        format('ALTER TABLE %1$s DROP CONSTRAINT IF EXISTS %2$I; ALTER TABLE %1$s ADD CONSTRAINT %2$I %3$s', r.name, k.conname, pg_get_constraintdef(k.oid))
    FROM pg_constraint AS k
    JOIN relations AS r ON r.oid = k.conrelid
    WHERE k.contype IN ('p', 'u', 'c', 'f')
        AND k.conparentid = 0
    UNION ALL
    SELECT 8, 'index', i.relname::text,
        concat_ws(' ', regexp_replace(pg_get_indexdef(i.oid), '(\w+\.)?gin_trgm_ops', 'gin_trgm_ops'), x.indisvalid AND x.indisready AND x.indislive),
        format('DROP INDEX IF EXISTS %I; %s', i.relname, regexp_replace(pg_get_indexdef(i.oid), '(\w+\.)?gin_trgm_ops', 'gin_trgm_ops'))
    FROM pg_index AS x
    JOIN pg_class AS i ON i.oid = x.indexrelid
    JOIN relations AS r ON r.oid = x.indrelid
    WHERE NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = x.indexrelid AND k.contype IN ('p', 'u'))
    UNION ALL
    SELECT 9, 'grant', format('to %s on %s', g.grantee, g.object), g.privileges,
        format('REVOKE ALL ON %1$s FROM %2$s', g.object, g.grantee)
            || CASE WHEN g.privileges <> '' THEN format('; GRANT %3$s ON %1$s TO %2$s', g.object, g.grantee, g.privileges) ELSE '' END
    FROM grants AS g
    UNION ALL
    SELECT 9, 'grant', 'to clientintel_server on SCHEMA public',
        (SELECT has_schema_privilege(s.oid, 'public', 'USAGE') FROM pg_roles AS s WHERE s.rolname = 'clientintel_server')::text,
        'GRANT USAGE ON SCHEMA public TO clientintel_server'
    UNION ALL
    -- What a column held cannot be made anew.
    SELECT 10, 'column', format('%s.%I', r.name, a.attname),
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity), ''
    FROM pg_attribute AS a
    JOIN relations AS r ON r.oid = a.attrelid
    WHERE a.attnum > 0
        AND NOT a.attisdropped
)

SELECT o.kind, o.name, md5(coalesce(o.definition, '')), o.repair
FROM objects AS o
ORDER BY o.rank, o.name COLLATE "C"
