WITH ours AS (SELECT c.oid FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace
	AND c.relkind IN ('r', 'p') AND NOT c.relispartition)
SELECT 'database ' || d.datname FROM pg_database AS d WHERE NOT d.datistemplate
UNION ALL SELECT 'role ' || r.rolname FROM pg_roles AS r WHERE r.rolname !~ '^pg_'
UNION ALL SELECT 'extension ' || e.extname FROM pg_extension AS e
UNION ALL SELECT 'schema ' || n.nspname FROM pg_namespace AS n WHERE n.nspname !~ '^pg_'
UNION ALL SELECT 'relation ' || c.oid::regclass FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname !~ '^pg_' AND c.relkind <> 'i'
UNION ALL SELECT 'function ' || p.oid::regprocedure FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
	WHERE n.nspname !~ '^pg_' AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = p.oid AND d.deptype = 'e')
UNION ALL SELECT format('column %s.%I', t.oid::regclass, a.attname) FROM pg_attribute AS a JOIN ours AS t ON t.oid = a.attrelid
	WHERE a.attnum > 0 AND NOT a.attisdropped
UNION ALL SELECT 'index ' || i.indexrelid::regclass FROM pg_index AS i JOIN ours AS t ON t.oid = i.indrelid
UNION ALL SELECT format('trigger %I on %s', g.tgname, t.oid::regclass) FROM pg_trigger AS g JOIN ours AS t ON t.oid = g.tgrelid
	WHERE NOT g.tgisinternal
-- NOT NULL is a constraint from PostgreSQL 18 on.
UNION ALL SELECT format('constraint %I on %s', k.conname, t.oid::regclass) FROM pg_constraint AS k JOIN ours AS t ON t.oid = k.conrelid
	WHERE k.contype <> 'n' AND k.conparentid = 0
ORDER BY 1
