-- Distributes a migrated database without records over the workers that the
-- coordinator knows, by client: one client's rows lie on one worker, in shards that
-- stay together. Run by the schema's owner, in one transaction, and again after each
-- migration: what follows takes the place of what migrations make.
--
-- On the coordinator stay keys, the log of requests, the register of ids and secrets:
-- admission remains one transaction on one machine.

-- Citus warns of triggers on distributed tables. Ours write rows of their own client
-- only, which lie in the same place. Not by SET LOCAL, which Citus may pass on to the
-- workers, with all of this text.
SELECT
    set_config('citus.propagate_set_commands', 'none', true),
    set_config('citus.enable_unsafe_triggers', 'on', true),
    set_config('citus.multi_shard_modify_mode', 'sequential', true),
    set_config('client_min_messages', 'warning', true);

DO $$
DECLARE
    owned text;
BEGIN
    -- Citus connects to workers as the role that a server takes.
    IF NOT (SELECT r.rolcanlogin FROM pg_roles AS r WHERE r.rolname = 'clientintel_server') THEN
        ALTER ROLE clientintel_server LOGIN;
    END IF;

    -- A unique index without the client cannot be, nor can a foreign key from the
    -- coordinator: the importer and the issuing of keys check both. Asked for first:
    -- IF EXISTS locks the table, which is in use, also where nothing is left to do.
    IF EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = 'clients'::regclass AND k.conname = 'clients_slug_is_unique') THEN
        ALTER TABLE clients DROP CONSTRAINT clients_slug_is_unique;
    END IF;
    IF EXISTS (SELECT 1 FROM pg_constraint AS k WHERE k.conrelid = 'api_keys'::regclass AND k.conname = 'api_keys_client_id_fkey') THEN
        ALTER TABLE api_keys DROP CONSTRAINT api_keys_client_id_fkey;
    END IF;
    IF to_regclass('clients_of_slug') IS NULL THEN
        CREATE INDEX clients_of_slug ON clients (slug);
    END IF;

    IF NOT EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = 'clients'::regclass) THEN
        PERFORM create_distributed_table('clients', 'id', colocate_with => 'none');
    END IF;
    -- Those that are referred to come first.
    FOREACH owned IN ARRAY ARRAY[
        'campaigns', 'lanes', 'measurement_snapshots', 'measurement_states', 'measurement_changes', 'search_documents',
        'interviews', 'synthesis_documents', 'portal_documents'
    ] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = owned::regclass) THEN
            PERFORM create_distributed_table(owned, 'client_id', colocate_with => 'clients');
        END IF;
    END LOOP;
END;
$$;

-- begin_read sets the transaction's client for row-level security on workers too: Citus
-- passes SET LOCAL on to them, set_config never. Its query takes the snapshot, on the
-- client's worker, whose clock it returns.
CREATE OR REPLACE FUNCTION begin_read(
    client uuid, timeout text,
    OUT as_of timestamptz, OUT mode text, OUT contract_version text, OUT members bigint, OUT broken_at timestamptz
)
LANGUAGE plpgsql SET citus.propagate_set_commands = 'local' AS $$
BEGIN
    EXECUTE format('SET LOCAL clientintel.client_id = %L', client);
    PERFORM set_config('statement_timeout', timeout, true);
    SELECT
        transaction_timestamp(),
        c.measurement_mode,
        c.measurement_contract_version,
        s.members + (
            SELECT coalesce(sum(m.members), 0)
            FROM public.measurement_changes AS m
            WHERE m.client_id = client
        ),
        s.broken_at
    INTO as_of, mode, contract_version, members, broken_at
    FROM public.clients AS c
    LEFT JOIN public.measurement_states AS s ON s.client_id = c.id
    WHERE c.id = client;
    as_of := coalesce(as_of, statement_timestamp());
END;
$$;

-- count_shard_triggers counts the enabled triggers on the shards co-located with a shard
-- of clients, which the coordinator's catalog does not show. 16 are right: 12 of ours, and
-- four of a foreign key. It runs on the worker, in each response: without indexes it would
-- read every shard's triggers and take three times as long.
CREATE OR REPLACE FUNCTION count_shard_triggers(clients_shard bigint) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    interviews CONSTANT oid := 'public.interviews'::regclass;
    campaigns CONSTANT oid := 'public.campaigns'::regclass;
BEGIN
    RETURN (
        WITH shards AS MATERIALIZED (
            SELECT s.logicalrelid::oid AS shell, to_regclass(shard_name(s.logicalrelid, s.shardid, false))::oid AS relation, s.shardid
            FROM pg_dist_shard AS s
            WHERE s.logicalrelid = ANY (ARRAY['public.clients', 'public.campaigns', 'public.interviews']::regclass[])
                AND s.shardminvalue = (SELECT c.shardminvalue FROM pg_dist_shard AS c WHERE c.shardid = clients_shard)
        )

        SELECT count(*)
        FROM shards AS s
        JOIN pg_trigger AS t ON t.tgrelid = s.relation
        WHERE t.tgenabled = 'A'
                AND replace(t.tgname::text, '_' || s.shardid, '') = ANY (ARRAY[
                    'fill_campaign_live_on_insert', 'fill_campaign_live_on_update', 'check_campaign_of_interview',
                    'count_inserted_members', 'count_updated_members', 'count_deleted_members',
                    'propagate_campaign_live', 'check_interviews_of_campaign', 'create_measurement_state',
                    'maintain_search_documents_on_insert', 'maintain_search_documents_on_update', 'maintain_search_documents_on_delete'
                ])
            OR t.tgisinternal
                AND t.tgenabled IN ('O', 'A')
                AND s.shell IN (interviews, campaigns)
                AND t.tgconstrrelid IN (SELECT o.relation FROM shards AS o WHERE o.shell IN (interviews, campaigns) AND o.shell <> s.shell)
    );
END;
$$;

-- find_disabled_shard_triggers names the shards of this machine where one is not.
CREATE OR REPLACE FUNCTION find_disabled_shard_triggers() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (
        SELECT string_agg(shard_name(s.logicalrelid, s.shardid), ', ' ORDER BY s.shardid)
        FROM pg_dist_shard AS s
        WHERE s.logicalrelid = 'public.clients'::regclass
            AND to_regclass(shard_name(s.logicalrelid, s.shardid, false)) IS NOT NULL
            AND public.count_shard_triggers(s.shardid) <> 16
    );
END;
$$;

-- find_disabled_triggers runs it on every machine.
CREATE OR REPLACE FUNCTION find_disabled_triggers() RETURNS TABLE (machine text, shards text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    node record;
BEGIN
    FOR node IN
        SELECT n.nodename || ':' || n.nodeport AS machine, a.success, a.result
        FROM run_command_on_all_nodes('SELECT public.find_disabled_shard_triggers()') AS a
        JOIN pg_dist_node AS n ON n.nodeid = a.nodeid
    LOOP
        IF NOT node.success THEN
            RAISE connection_exception USING MESSAGE = format('the worker %s does not answer: %s', node.machine, node.result);
        END IF;
        IF node.result <> '' THEN
            machine := node.machine;
            shards := node.result;
            RETURN NEXT;
        END IF;
    END LOOP;
END;
$$;

CREATE OR REPLACE FUNCTION check_search_triggers() RETURNS void
LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF public.count_shard_triggers(
        get_shard_id_for_distribution_column('public.clients', public.current_client_id())
    ) <> 16 THEN
        RAISE EXCEPTION 'a trigger that keeps search documents is switched off'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run clientintel measurement rebuild --all.';
    END IF;
END;
$$;

-- The transition tables are read before anything is written.
CREATE OR REPLACE FUNCTION maintain_search_documents() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    r record;
BEGIN
    IF TG_OP IN ('UPDATE', 'DELETE') THEN
        FOR r IN
            SELECT o.client_id, array_agg(o.id) AS ids, array_agg(o.created_at) AS times
            FROM old_rows AS o
            GROUP BY o.client_id
        LOOP
            DELETE FROM public.search_documents AS d
            USING unnest(r.ids, r.times) AS o (id, created_at)
            WHERE d.client_id = r.client_id
                AND d.created_at = o.created_at
                AND d.id = o.id
                AND NOT EXISTS (
                    SELECT 1 FROM public.interviews AS i
                    WHERE i.client_id = r.client_id
                        AND i.id = o.id
                        AND i.created_at = o.created_at
                        AND i.usable
                );
        END LOOP;
    END IF;
    IF TG_OP IN ('UPDATE', 'INSERT') THEN
        FOR r IN
            SELECT
                n.client_id,
                array_agg(n.id) AS ids,
                array_agg(n.campaign_id) AS campaigns,
                array_agg(n.created_at) AS times,
                array_agg(public.searched_text(n.custom_extraction, n.best_quote)) AS texts
            FROM new_rows AS n
            WHERE n.usable
            GROUP BY n.client_id
        LOOP
            INSERT INTO public.search_documents AS d (client_id, id, campaign_id, created_at, folded)
            SELECT r.client_id, n.id, n.campaign_id, n.created_at, n.folded
            FROM unnest(r.ids, r.campaigns, r.times, r.texts) AS n (id, campaign_id, created_at, folded)
            ON CONFLICT (client_id, created_at, id) DO UPDATE
            SET campaign_id = excluded.campaign_id,
                folded = excluded.folded,
                indexed = false
            WHERE (d.campaign_id, d.folded) IS DISTINCT FROM (excluded.campaign_id, excluded.folded);
        END LOOP;
    END IF;
    RETURN NULL;
END;
$$;

-- By key and not by ctid, which is the shard's. One client in each call: it may wait for
-- a writer of that client's rows, and must not make others wait as long.
CREATE OR REPLACE FUNCTION index_search_documents(
    scan_limit bigint, keep_outside bigint, max_documents integer,
    OUT added integer
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    large record;
    surplus bigint;
    chosen record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN;
    END IF;
    added := 0;
    PERFORM public.merge_measurement_changes();
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > scan_limit LOOP
        SELECT count(*) - keep_outside INTO surplus
        FROM (
            SELECT 1
            FROM public.search_documents AS d
            WHERE d.client_id = large.client_id
                AND NOT d.indexed
            LIMIT keep_outside + max_documents
        ) AS outside;
        CONTINUE WHEN surplus <= 0;
        SELECT array_agg(n.id) AS ids, array_agg(n.created_at) AS times INTO chosen
        FROM (
            SELECT d.id, d.created_at
            FROM public.search_documents AS d
            WHERE d.client_id = large.client_id
                AND NOT d.indexed
            LIMIT surplus
        ) AS n;
        UPDATE public.search_documents AS d
        SET indexed = true
        WHERE d.client_id = large.client_id
            AND d.created_at = ANY (chosen.times)
            AND d.id = ANY (chosen.ids)
            AND NOT d.indexed;
        GET DIAGNOSTICS added = ROW_COUNT;
        EXIT WHEN added > 0;
    END LOOP;
    IF added > 0 THEN
        PERFORM run_command_on_shards(
            'public.search_documents', $_$SELECT gin_clean_pending_list(replace('%s', 'search_documents', 'search_documents_trigrams')::regclass)$_$
        );
    END IF;
END;
$$;

-- The trigrams' branch names the client, too, by which Citus finds the shard. It does not
-- ask which client has most of the rows: other workers hold the rest.
CREATE OR REPLACE FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
-- A bitmap of a large client's pages stays exact in that much.
SET work_mem = '16MB' SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    needle CONSTANT text := public.fold_case(query);
    pattern CONSTANT text := '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%';
    campaign CONSTANT uuid := public.campaign_id_by_slug(client, campaign_slug);
BEGIN
    IF client IS DISTINCT FROM nullif(current_setting('clientintel.client_id', true), '')::uuid THEN
        RAISE EXCEPTION 'another client than the transaction''s is searched' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM public.check_search_triggers();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    IF NOT public.has_trigrams(needle) OR NOT public.trigrams_are_selective(client, needle) THEN
        RETURN QUERY
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
            AND strpos(d.folded, needle) > 0
        ORDER BY d.created_at DESC, d.id
        LIMIT max_hits;
        RETURN;
    END IF;
    -- IS TRUE keeps the campaign's own index out of both plans: it holds all of
    -- a campaign, however little is wanted of it.
    RETURN QUERY
    SELECT n.*
    FROM (
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE d.indexed
                AND d.client_id = client
                AND ARRAY[d.client_id] @> ARRAY[client]
                AND d.folded LIKE pattern
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
        UNION ALL
        (
            SELECT d.*
            FROM public.search_documents AS d
            WHERE NOT d.indexed
                AND d.client_id = client
                AND strpos(d.folded, needle) > 0
                AND (campaign IS NULL OR (d.campaign_id = campaign) IS TRUE)
            ORDER BY d.created_at DESC, d.id
            LIMIT max_hits
        )
    ) AS n
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;

-- A search is one call, which Citus executes on the client's worker: there all of it reads
-- in the one snapshot of the response, what runs as the owner included. It reads what
-- scan_search_documents finds or, with everything, find_search_documents.
CREATE OR REPLACE FUNCTION list_search_hits(
    client uuid, campaign text, query text, max_hits integer, max_rows bigint, everything boolean
)
RETURNS TABLE (
    id uuid, created_at timestamptz, fields integer[], member_id uuid, campaign_slug text, best_quote text,
    primary_pain_points text, feature_requests text, product_feedback text, competitor_mentions text
)
LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    found record;
BEGIN
    SELECT
        array_agg(h.id ORDER BY h.created_at DESC, h.id) AS ids,
        array_agg(h.created_at ORDER BY h.created_at DESC, h.id) AS times,
        array_agg(h.folded ORDER BY h.created_at DESC, h.id) AS texts
    INTO found
    FROM (
        SELECT s.* FROM public.scan_search_documents(client, campaign, query, max_hits, max_rows) AS s WHERE NOT everything
        UNION ALL
        SELECT f.* FROM public.find_search_documents(client, campaign, query, max_hits) AS f WHERE everything
    ) AS h;
    RETURN QUERY
    WITH members AS MATERIALIZED (
        SELECT m.*, c.slug
        FROM public.searched_interviews AS m
        LEFT JOIN public.campaigns AS c ON c.client_id = m.client_id AND c.id = m.campaign_id
        WHERE m.client_id = client
            AND m.id = ANY (found.ids)
    )

    SELECT
        h.id, h.created_at, public.matched_fields(h.folded, public.fold_case(query))::integer[], i.id, i.slug,
        i.best_quote, i.primary_pain_points, i.feature_requests, i.product_feedback, i.competitor_mentions
    FROM unnest(found.ids, found.times, found.texts) AS h (id, created_at, folded)
    LEFT JOIN members AS i ON i.id = h.id AND i.created_at = h.created_at
    ORDER BY h.created_at DESC, h.id;
END;
$$;

-- enable_shard_triggers enables ours again: the statements go to every shard.
CREATE OR REPLACE FUNCTION enable_shard_triggers() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    t record;
BEGIN
    FOR t IN
        SELECT x.tgrelid::regclass AS relation, x.tgname AS name
        FROM pg_trigger AS x
        JOIN pg_dist_partition AS p ON p.logicalrelid = x.tgrelid
        WHERE NOT x.tgisinternal
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.relation, t.name);
    END LOOP;
END;
$$;

REVOKE EXECUTE ON FUNCTION find_disabled_triggers, find_disabled_shard_triggers, enable_shard_triggers FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_disabled_triggers TO clientintel_server;

-- Citus does not know what functions call: workers get all of them. Those that already
-- run on the client's worker stay so, earlier releases' too.
DO $$
DECLARE
    ours record;
BEGIN
    FOR ours IN
        SELECT p.oid::regprocedure AS name, p.proname = 'list_search_hits' AS delegated
        FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace
            AND p.proname NOT IN ('admit', 'begin_read')
            AND NOT EXISTS (
                SELECT 1 FROM pg_dist_object AS o
                WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.distribution_argument_index IS NOT NULL
            )
            AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
    LOOP
        IF ours.delegated THEN
            PERFORM create_distributed_function(ours.name, 'client', colocate_with => 'clients', force_delegation => true);
        ELSE
            PERFORM create_distributed_function(ours.name);
        END IF;
    END LOOP;
END;
$$;

-- Readers wait for views that are replaced, so these come last.
-- The coordinator's catalog does not matter: triggers run on shards.
CREATE OR REPLACE VIEW measurement_triggers WITH (security_invoker = true) AS
SELECT
    'clients'::regclass AS relation,
    format('triggers beside the shards %s of %s', d.shards, d.machine) AS name,
    false AS enabled
FROM find_disabled_triggers() AS d;

-- The lane is joined: a subquery on it would be sent to every worker.
CREATE OR REPLACE VIEW visible_synthesis_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.synthesis_type,
    d.lane_id,
    d.campaign_id,
    d.document,
    d.contract_version,
    d.status,
    d.cadence,
    d.feed_date,
    d.last_refreshed,
    d.created_at,
    d.updated_at,
    (CASE WHEN d.last_refreshed IS NULL THEN '0001-12-31 00:00:00+00 BC' ELSE d.last_refreshed END)::timestamptz AS refreshed_key
FROM synthesis_documents AS d
LEFT JOIN lanes AS l ON l.client_id = d.client_id AND l.id = d.lane_id
WHERE d.status = 'published'
    AND (d.lane_id IS NULL OR l.visible);

CREATE OR REPLACE VIEW visible_portal_documents WITH (security_invoker = true) AS
SELECT
    d.client_id,
    d.id,
    d.type,
    d.lane_id,
    d.campaign_id,
    d.feed_date,
    d.body,
    d.measurement_snapshot_id,
    (CASE WHEN d.feed_date IS NULL THEN '0001-12-31 BC' ELSE d.feed_date END)::date AS feed_key,
    (CASE WHEN d.published_at IS NULL THEN '0001-12-31 00:00:00+00 BC' ELSE d.published_at END)::timestamptz AS published_key
FROM portal_documents AS d
LEFT JOIN lanes AS l ON l.client_id = d.client_id AND l.id = d.lane_id
WHERE d.status = 'published'
    AND (d.lane_id IS NULL OR l.visible);

-- Workers, those added later included, lack the grants on views: they are made again.
DO $$
DECLARE
    ours record;
BEGIN
    FOR ours IN
        SELECT
            format('FUNCTION %s', p.oid::regprocedure) AS name, 'EXECUTE' AS privilege,
            has_function_privilege('clientintel_server', p.oid, 'EXECUTE') AS granted,
            EXISTS (SELECT 1 FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a WHERE a.grantee = 0) AS for_everyone
        FROM pg_proc AS p
        WHERE p.pronamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
        UNION ALL
        SELECT format('TABLE %s', c.oid::regclass), 'SELECT', has_table_privilege('clientintel_server', c.oid, 'SELECT'), false
        FROM pg_class AS c
        WHERE c.relnamespace = 'public'::regnamespace
            AND c.relkind = 'v'
            AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    LOOP
        CONTINUE WHEN ours.for_everyone;
        EXECUTE format('REVOKE ALL ON %s FROM PUBLIC', ours.name);
        IF ours.granted THEN
            EXECUTE format('GRANT %s ON %s TO clientintel_server', ours.privilege, ours.name);
        END IF;
    END LOOP;
END;
$$;
