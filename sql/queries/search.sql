-- name: ListNewestSearchHits :many
-- ListNewestSearchHits returns a client's newest hits among its newest max_rows
-- documents, or those of its campaign with the slug. The numbers of the matched
-- fields count from best_quote, which is 1. Where a hit's member_id is null,
-- the search documents are inconsistent.
SELECT
    h.id,
    h.created_at,
    matched_fields(h.folded, fold_case(@query::text))::integer[] AS fields,
    i.id AS member_id,
    c.slug AS campaign_slug,
    i.best_quote,
    i.primary_pain_points,
    i.feature_requests,
    i.product_feedback,
    i.competitor_mentions
FROM scan_search_documents(@client_id::uuid, sqlc.narg(campaign)::text, @query::text, @max_hits::integer, @max_rows::bigint) AS h
LEFT JOIN searched_interviews AS i ON i.client_id = h.client_id AND i.id = h.id AND i.created_at = h.created_at
LEFT JOIN campaigns AS c ON c.client_id = i.client_id AND c.id = i.campaign_id
ORDER BY h.created_at DESC, h.id;

-- name: HasOlderSearchDocuments :one
-- HasOlderSearchDocuments reports whether ListNewestSearchHits left documents of
-- client_id's unread.
SELECT has_older_search_documents(@client_id::uuid, sqlc.narg(campaign)::text, @max_rows::bigint) AS goes_on;

-- name: PreferScanOverTrigrams :one
-- PreferScanOverTrigrams reports whether a search that missed among the first documents
-- goes on to client_id's newest max_rows: the trigram index cannot narrow it, or those are
-- all documents. The index is for clients that have more.
SELECT (
    NOT has_trigrams(fold_case(@query::text))
    OR NOT has_older_search_documents(@client_id::uuid, sqlc.narg(campaign)::text, @max_rows::bigint)
)::boolean AS reads_on;

-- name: ListSearchHits :many
-- ListSearchHits is ListNewestSearchHits among all documents.
SELECT
    h.id,
    h.created_at,
    matched_fields(h.folded, fold_case(@query::text))::integer[] AS fields,
    i.id AS member_id,
    c.slug AS campaign_slug,
    i.best_quote,
    i.primary_pain_points,
    i.feature_requests,
    i.product_feedback,
    i.competitor_mentions
FROM find_search_documents(@client_id::uuid, sqlc.narg(campaign)::text, @query::text, @max_hits::integer) AS h
LEFT JOIN searched_interviews AS i ON i.client_id = h.client_id AND i.id = h.id AND i.created_at = h.created_at
LEFT JOIN campaigns AS c ON c.client_id = i.client_id AND c.id = i.campaign_id
ORDER BY h.created_at DESC, h.id;

-- name: ConfigureFullSearch :exec
-- ConfigureFullSearch bounds the statements of a search through all of client_id's
-- documents, in its own transaction. Under another gin_fuzzy_search_limit the
-- trigram index returns a random part of what matches.
SELECT
    set_config('statement_timeout', @milliseconds::text, true),
    set_config('gin_fuzzy_search_limit', '0', true);

-- name: IndexSearchDocuments :one
-- IndexSearchDocuments puts up to max_documents documents of large clients into the
-- trigram index, and returns how many: null while another call does it.
SELECT i.added
FROM index_search_documents(@scan_limit::bigint, @keep_outside::bigint, @max_documents::integer) AS i;

-- name: CountOutdatedSearchDocuments :one
-- CountOutdatedSearchDocuments counts the search documents of client_id that are
-- missing, left over or not what their interviews say. Each text is folded anew.
SELECT (
    (
        SELECT count(*)
        FROM interviews AS i
        LEFT JOIN search_documents AS d
            ON d.client_id = i.client_id AND d.created_at = i.created_at AND d.id = i.id
        WHERE i.client_id = @client_id
            AND i.usable
            AND (
                d.id IS NULL
                OR (d.campaign_id, d.folded)
                IS DISTINCT FROM (i.campaign_id, searched_text(i.custom_extraction, i.best_quote))
            )
    ) + (
        SELECT count(*)
        FROM search_documents AS d
        WHERE d.client_id = @client_id
            AND NOT EXISTS (
                SELECT 1
                FROM interviews AS i
                WHERE i.client_id = @client_id
                    AND i.id = d.id
                    AND i.created_at = d.created_at
                    AND i.usable
            )
    )
)::bigint AS outdated;

-- name: RebuildSearchDocuments :one
-- RebuildSearchDocuments corrects the search documents of client_id, and returns how
-- many were wrong. Changes of the client's interviews wait until it has ended.
SELECT rebuild_search_documents(@client_id::uuid)::bigint AS corrected;

-- name: FoldTexts :many
-- FoldTexts folds the case of texts, in their order, the way a search and a writer
-- do; where the two differ, it returns what a writer makes of the text.
SELECT CASE
    WHEN split_part(searched_text(NULL, t.text), U&'\FFFF', 1) = fold_case(t.text) THEN fold_case(t.text)
    ELSE searched_text(NULL, t.text)
END::text AS folded
FROM unnest(@texts::text[]) WITH ORDINALITY AS t (text, place)
ORDER BY t.place;
