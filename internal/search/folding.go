package search

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Querier is a connection or a pool.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// vectors are texts and what they fold to: capitals to the one small letter,
// whatever the language and the place in the word; nothing else changes.
func vectors() (texts, folded []string) {
	for _, v := range [][2]string{
		{"It's 100% OK_\\", "it's 100% ok_\\"},
		{"CRÈME BRÛLÉE", "crème brûlée"},
		{"ΩΜΈΓΑ ΣΊΣΥΦΟΣ ς", "ωμέγα σίσυφοσ ς"}, // no final sigma of its own accord
		{"Я ЁЖИК", "я ёжик"},
		{"STRASSE Straße ẞ", "strasse straße ß"},
		{"Iıİi", "iıii"}, // as everywhere but in Turkish
		{"ǄǅǆÅ Å", "ǆǆǆå å"},
		{"ԱՐԱՐԱՏ ᲐᲑ ᏣᎳᎩ 𐐀", "արարատ აბ ꮳꮃꭹ 𐐨"},
		{"e\u0301 É", "e\u0301 é"}, // composed and decomposed stay apart
		{"東京 ﬁ ª ſ", "東京 ﬁ ª ſ"},
		{"a\uffffb", "a\ufffdb"},
	} {
		texts, folded = append(texts, v[0]), append(folded, v[1])
	}
	return texts, folded
}

// Check proves that the database folds texts as every other server's does, on
// its way in and in a search. One that does not would answer wrongly, and in silence.
func Check(ctx context.Context, db Querier) error {
	texts, want := vectors()
	rows, err := db.Query(ctx, `SELECT CASE
			WHEN split_part(public.searched_text(NULL, t.text), U&'\FFFF', 1) = public.fold_text(t.text)
			THEN public.fold_text(t.text)
			ELSE public.searched_text(NULL, t.text)
		END
		FROM unnest($1::text[]) WITH ORDINALITY AS t (text, place)
		ORDER BY t.place`, texts)
	if err != nil {
		return fmt.Errorf("checking how the database folds texts: %w", err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("checking how the database folds texts: %w", err)
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("the database folds %q to %q and not to %q, so searches would miss interviews: "+
				"its function fold_text or searched_text was changed; restore it from the migration, and run UPDATE interviews SET best_quote = best_quote",
				texts[i], got[i], want[i])
		}
	}
	return nil
}
