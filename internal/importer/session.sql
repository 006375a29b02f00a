-- What the session or the server set up for short queries would stop a long import.
SELECT set_config(s.name, s.value, true)
FROM (VALUES
    -- The work ends with its client. Windows has no such check.
    ('client_connection_check_interval', CASE WHEN version() ~ 'Visual C|mingw' THEN '0' ELSE '500ms' END),
    ('statement_timeout', '0'),
    ('lock_timeout', '0'),
    ('transaction_timeout', '0'), -- from PostgreSQL 17 on
    ('idle_in_transaction_session_timeout', '0'),
    -- A batch's transition table stays in memory.
    ('work_mem', '64MB'),
    -- So do the rows that it is staged in.
    ('temp_buffers', '64MB'),
    -- Where tables are distributed, a statement over all clients waits for no other.
    ('citus.enable_deadlock_prevention', 'off'),
    -- Batches are small and tables may be large: indexes, whatever the
    -- statistics of tables that are being filled say.
    ('enable_seqscan', 'off'),
    ('enable_hashjoin', 'off'),
    ('enable_mergejoin', 'off'),
    ('jit', 'off'),
    -- A quarter of an import's work would be pglz; lz4 is also read faster.
    ('default_toast_compression', 'lz4')
) AS s (name, value)
LEFT JOIN pg_settings AS p ON p.name = s.name
-- Not all of Citus' are listed.
WHERE (p.name IS NOT NULL OR s.name LIKE 'citus.%')
    AND (p.enumvals IS NULL OR s.value = ANY (p.enumvals));
