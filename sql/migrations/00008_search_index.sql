-- How search documents are read: in order along an index, which costs the more
-- the rarer the hits are; and from an index of trigrams, which costs the more the
-- commoner they are. Locks search documents against writes while that is built.

-- +goose Up
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
EXCEPTION
    WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'the extension pg_trgm is missing and % may not create it: grant the owner CREATE on the database, or let an administrator run CREATE EXTENSION pg_trgm',
            current_user;
    WHEN undefined_file OR feature_not_supported THEN
        RAISE EXCEPTION 'the extension pg_trgm is not installed on the database server: install PostgreSQL''s contrib modules there (the package is often called postgresql-contrib)';
END;
$$;
-- +goose StatementEnd

-- has_trigrams tells whether the trigram index can narrow a search down: whether
-- three characters in a row are letters or digits to it. It alone can tell, as
-- that is a matter of the database's locale.
-- +goose StatementBegin
CREATE FUNCTION has_trigrams(needle text) RETURNS boolean
LANGUAGE plpgsql STABLE STRICT AS $$
BEGIN
    RETURN (
        SELECT string_agg(CASE WHEN cardinality(show_trgm(c.letter)) > 0 THEN 'x' ELSE ' ' END, '' ORDER BY c.place)
            LIKE '%xxx%'
        FROM string_to_table(needle, NULL) WITH ORDINALITY AS c (letter, place)
    );
END;
$$;
-- +goose StatementEnd

-- The extension may be there already, in a schema of its own. The client stands
-- in the index as a list: lists need no further extension, and no other index
-- answers a condition on one, so that the planner has no choice.
-- +goose StatementBegin
DO $$
DECLARE
    home CONSTANT text := (
        SELECT n.nspname
        FROM pg_extension AS e
        JOIN pg_namespace AS n ON n.oid = e.extnamespace
        WHERE e.extname = 'pg_trgm'
    );
BEGIN
    EXECUTE format(
        'CREATE INDEX search_documents_trigrams ON search_documents
        USING gin ((ARRAY[client_id]), folded %I.gin_trgm_ops) WHERE indexed',
        home
    );
    EXECUTE format('ALTER FUNCTION has_trigrams(text) SET search_path = pg_catalog, %I', home);
END;
$$;
-- +goose StatementEnd

-- index_search_documents puts up to max_documents documents into the trigram
-- index, oldest first, and returns how many. Clients of up to whole_reads
-- documents have no use for it; the others keep the newest keep outside, as
-- indexing a few at a time costs more than reading them.
-- +goose StatementBegin
CREATE FUNCTION index_search_documents(whole_reads bigint, keep bigint, max_documents integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
-- All at once at the end costs less than half of bit by bit.
SET gin_pending_list_limit = '256MB' AS $$
DECLARE
    large record;
    newest_surplus timestamptz;
    here integer;
    done integer := 0;
BEGIN
    -- One at a time; who comes second has nothing left to do.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('clientintel index_search_documents', 0)) THEN
        RETURN 0;
    END IF;
    FOR large IN SELECT s.client_id FROM public.measurement_states AS s WHERE s.members > whole_reads LOOP
        SELECT d.created_at INTO newest_surplus
        FROM public.search_documents AS d
        WHERE d.client_id = large.client_id
            AND NOT d.indexed
        ORDER BY d.created_at DESC
        OFFSET keep
        LIMIT 1;
        CONTINUE WHEN NOT FOUND;
        -- A document that somebody is writing is left to the next time.
        UPDATE public.search_documents AS d
        SET indexed = true
        FROM (
            SELECT s.client_id, s.id
            FROM public.search_documents AS s
            WHERE s.client_id = large.client_id
                AND s.created_at <= newest_surplus
                AND NOT s.indexed
            ORDER BY s.created_at
            LIMIT max_documents - done
            FOR UPDATE SKIP LOCKED
        ) AS surplus
        WHERE d.client_id = surplus.client_id
            AND d.id = surplus.id;
        GET DIAGNOSTICS here = ROW_COUNT;
        done := done + here;
        EXIT WHEN done >= max_documents;
    END LOOP;
    IF done > 0 THEN
        -- Else each search reads the list of what is pending.
        PERFORM gin_clean_pending_list('public.search_documents_trigrams');
    END IF;
    RETURN done;
END;
$$;
-- +goose StatementEnd

-- campaign_of_slug is the client's campaign with the slug; null when there is none.
-- +goose StatementBegin
CREATE FUNCTION campaign_of_slug(client uuid, campaign_slug text) RETURNS uuid
LANGUAGE sql STABLE STRICT
RETURN (
    SELECT c.id
    FROM public.campaigns AS c
    WHERE c.client_id = client
        AND c.slug = campaign_slug
);
-- +goose StatementEnd

-- matched_fields are the numbers of the fields, from 1, that hold the needle.
-- +goose StatementBegin
CREATE FUNCTION matched_fields(folded text, needle text) RETURNS integer[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
    SELECT array_agg(f.number::integer ORDER BY f.number)
    FROM string_to_table(folded, U&'\FFFF') WITH ORDINALITY AS f (field, number)
    WHERE strpos(f.field, needle) > 0
);
-- +goose StatementEnd

-- scan_search_documents reads the newest max_rows documents (null: all) of a
-- client, or of its campaign with the slug, and returns the newest max_hits that
-- hold the query. The settings leave one plan, whatever the statistics say:
-- along the index, in order.
-- +goose StatementBegin
CREATE FUNCTION scan_search_documents(client uuid, campaign_slug text, query text, max_hits integer, max_rows bigint)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SET search_path = pg_catalog
SET enable_indexscan = on SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    needle CONSTANT text := public.fold_text(query);
    campaign CONSTANT uuid := public.campaign_of_slug(client, campaign_slug);
BEGIN
    PERFORM public.check_search_is_kept();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT n.*
    FROM (
        SELECT d.*
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        ORDER BY d.created_at DESC, d.id
        LIMIT max_rows
    ) AS n
    WHERE strpos(n.folded, needle) > 0
    ORDER BY n.created_at DESC, n.id
    LIMIT max_hits;
END;
$$;
-- +goose StatementEnd

-- search_goes_on tells whether a scan of max_rows leaves documents unread.
-- +goose StatementBegin
CREATE FUNCTION search_goes_on(client uuid, campaign_slug text, max_rows bigint) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog
SET enable_seqscan = off SET enable_bitmapscan = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    campaign CONSTANT uuid := public.campaign_of_slug(client, campaign_slug);
BEGIN
    RETURN (campaign_slug IS NULL OR campaign IS NOT NULL) AND EXISTS (
        SELECT
        FROM public.search_documents AS d
        WHERE d.client_id = client
            AND (campaign IS NULL OR d.campaign_id = campaign)
        OFFSET max_rows
    );
END;
$$;
-- +goose StatementEnd

-- find_search_documents answers for all of a client's documents: from the
-- trigrams of those in the index, reading the others; all of them in order where
-- the query has no trigram. The owner reads here, as a row-level policy would
-- keep LIKE away from the index; so it answers for the transaction's client alone.
-- +goose StatementBegin
CREATE FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    needle CONSTANT text := public.fold_text(query);
    pattern CONSTANT text := '%' || regexp_replace(needle, '([\\%_])', '\\\1', 'g') || '%';
    campaign CONSTANT uuid := public.campaign_of_slug(client, campaign_slug);
BEGIN
    IF client IS DISTINCT FROM nullif(current_setting('clientintel.client_id', true), '')::uuid THEN
        RAISE EXCEPTION 'another client than the transaction''s is searched' USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM public.check_search_is_kept();
    IF campaign_slug IS NOT NULL AND campaign IS NULL THEN
        RETURN;
    END IF;
    IF NOT public.has_trigrams(needle) THEN
        RETURN QUERY SELECT s.* FROM public.scan_search_documents(client, campaign_slug, query, max_hits, NULL) AS s;
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
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION find_search_documents, index_search_documents FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_search_documents, index_search_documents TO clientintel_server;

-- +goose Down
DROP FUNCTION find_search_documents;
DROP FUNCTION search_goes_on;
DROP FUNCTION scan_search_documents;
DROP FUNCTION matched_fields;
DROP FUNCTION campaign_of_slug;
DROP FUNCTION index_search_documents;
DROP INDEX search_documents_trigrams;
DROP FUNCTION has_trigrams;
-- pg_trgm stays: it may have been there before.
