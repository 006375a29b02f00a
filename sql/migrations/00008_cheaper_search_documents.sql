-- Search documents that cost an import less: a text is folded in one look where all it
-- needs is lower(). Same texts, same documents. Locks nothing: a function is replaced.

-- +goose Up
-- searched_text is what search looks into: the five fields, folded, with U+FFFF
-- between them, which no folded text holds. So nothing matches across fields.
-- Texts of letters that lower() folds, and of others that fold to themselves, are
-- folded all together: nothing but ASCII, of which the four U+FFFF differ by two
-- bytes each; or small letters of Latin-1 and punctuation too. Others still
-- together, with a character between them that folding leaves alone and hardly any
-- text holds; one by one where a text holds it, or U+FFFF.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    folded CONSTANT text COLLATE "C" := lower(concat(
        coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote), U&'\FFFF',
        public.extracted_text(extraction -> 'primary_pain_points'), U&'\FFFF',
        public.extracted_text(extraction -> 'feature_requests'), U&'\FFFF',
        public.extracted_text(extraction -> 'product_feedback'), U&'\FFFF',
        public.extracted_text(extraction -> 'competitor_mentions')
    ) COLLATE "C");
BEGIN
    IF octet_length(folded) = char_length(folded) + 8
        OR folded ~ '^(?:[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*\uffff){4}[\u0001-\u00b4\u00b6-\u00bf\u00d7\u00df-\u00ff\u2000-\u20ff]*$'
    THEN
        RETURN folded;
    END IF;
    IF octet_length(replace(folded, U&'\FFFF', '')) = octet_length(folded) - 12 AND strpos(folded, E'\x01') = 0 THEN
        RETURN replace(public.fold_case(replace(folded, U&'\FFFF', E'\x01')), E'\x01', U&'\FFFF');
    END IF;
    RETURN array_to_string(
        ARRAY[
            public.fold_case(coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote)),
            public.fold_case(public.extracted_text(extraction -> 'primary_pain_points')),
            public.fold_case(public.extracted_text(extraction -> 'feature_requests')),
            public.fold_case(public.extracted_text(extraction -> 'product_feedback')),
            public.fold_case(public.extracted_text(extraction -> 'competitor_mentions'))
        ],
        U&'\FFFF',
        ''
    );
END;
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION searched_text(extraction jsonb, best_quote text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    fields CONSTANT text :=
        coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote, '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'primary_pain_points'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'feature_requests'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'product_feedback'), '') || E'\x01'
        || coalesce(public.extracted_text(extraction -> 'competitor_mentions'), '');
BEGIN
    IF octet_length(replace(fields, E'\x01', '')) = octet_length(fields) - 4 THEN
        RETURN replace(public.fold_case(fields), E'\x01', U&'\FFFF');
    END IF;
    RETURN array_to_string(
        ARRAY[
            public.fold_case(coalesce(public.extracted_text(extraction -> 'best_quote'), best_quote)),
            public.fold_case(public.extracted_text(extraction -> 'primary_pain_points')),
            public.fold_case(public.extracted_text(extraction -> 'feature_requests')),
            public.fold_case(public.extracted_text(extraction -> 'product_feedback')),
            public.fold_case(public.extracted_text(extraction -> 'competitor_mentions'))
        ],
        U&'\FFFF',
        ''
    );
END;
$$;
-- +goose StatementEnd
