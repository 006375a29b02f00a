-- No search costs much more than reading the client's documents once: they are
-- read as they lie rather than in their order, and the trigram index is left
-- alone where it would cost more. Locks nothing.

-- +goose Up

-- trigrams_narrow tells whether a trigram of the needle is missing in most of the
-- client's newest documents. When each of them is nearly everywhere, the index
-- costs twice what reading everything costs.
-- +goose StatementBegin
CREATE FUNCTION trigrams_narrow(client uuid, needle text) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog
SET enable_indexscan = on SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN coalesce((
        WITH newest AS MATERIALIZED (
            SELECT d.folded
            FROM public.search_documents AS d
            WHERE d.client_id = client
            ORDER BY d.created_at DESC, d.id
            LIMIT 500
        ),

        pieces AS (
            SELECT DISTINCT p.piece
            FROM generate_series(1, least(length(needle) - 2, 32)) AS s (place)
            CROSS JOIN LATERAL (SELECT substr(needle, s.place, 3) AS piece) AS p
            WHERE public.has_trigrams(p.piece)
        ),

        shares AS (
            SELECT avg((strpos(n.folded, p.piece) > 0)::integer) AS share
            FROM pieces AS p
            CROSS JOIN newest AS n
            GROUP BY p.piece
        )

        SELECT min(s.share) < 0.4
        FROM shares AS s
    ), true);
END;
$$;
-- +goose StatementEnd

-- find_search_documents answers for all of a client's documents: from the
-- trigrams of those in the index, reading the others; all of them where trigrams
-- do not narrow the query down. The owner reads here, as a row-level policy would
-- keep LIKE away from the index; so it answers for the transaction's client alone.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer)
RETURNS SETOF search_documents
LANGUAGE plpgsql STABLE ROWS 50 SECURITY DEFINER SET search_path = pg_catalog
SET enable_seqscan = off SET enable_indexscan = off SET enable_indexonlyscan = off
-- A bitmap of a large client's pages stays exact in that much.
SET work_mem = '16MB' SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_custom_plan AS $$
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
    IF NOT public.has_trigrams(needle) OR NOT public.trigrams_narrow(client, needle) THEN
        -- The table as it lies, when most of it is the client's; else its pages.
        IF campaign IS NULL AND (
            SELECT 2 * sum(s.members) FILTER (WHERE s.client_id = client) > sum(s.members)
            FROM public.measurement_states AS s
        ) THEN
            PERFORM set_config('enable_seqscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
        END IF;
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

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION find_search_documents(client uuid, campaign_slug text, query text, max_hits integer)
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
DROP FUNCTION trigrams_narrow;
