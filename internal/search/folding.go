package search

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/gen/db"
)

// vectors are texts and what they fold to: letters that differ in nothing but case
// to one of them, whatever the language and the place in the word; nothing else
// changes.
var vectors = [][2]string{
	{"It's 100% OK_\\", "it's 100% ok_\\"},
	{"CRÈME BRÛLÉE", "crème brûlée"},
	{"ΩΜΈΓΑ ΔΡΌΜΟΣ δρόμος Ω", "ωμέγα δρόμοσ δρόμοσ ω"},
	{"Я ЁЖИК", "я ёжик"},
	{"STRASSE Straße ẞ", "strasse straße ß"},
	{"Iıİi", "iıİi"}, // the Turkish letters are letters of their own
	{"ǄǅǆÅ Å K", "ǆǆǆå å k"},
	{"ſenſe µm μm ϴϑθ", "sense μm μm θθθ"},
	{"ԱՐԱՐԱՏ ᲐᲑ ᏣᎳᎩ 𐐀", "արարատ აბ ꮳꮃꭹ 𐐨"},
	{"e\u0301 É", "e\u0301 é"}, // composed and decomposed stay apart
	{"東京 ﬁ ª", "東京 ﬁ ª"},
	{"a\uffffb", "a\ufffdb"},
}

// Check proves that the database folds texts as every other database does, when they
// are written and when they are searched for. One that does not would miss
// interviews without an error.
func Check(ctx context.Context, conn db.DBTX) error {
	texts := make([]string, len(vectors))
	for i, v := range vectors {
		texts[i] = v[0]
	}
	got, err := db.New(conn).FoldTexts(ctx, texts)
	if err != nil {
		return fmt.Errorf("checking how the database folds texts: %w", err)
	}
	for i, v := range vectors {
		if got[i] != v[1] {
			return fmt.Errorf("the database folds %q to %q and not to %q, so searches would miss interviews: "+
				"its function fold_case or searched_text was changed; restore it from the migration, and run UPDATE interviews SET best_quote = best_quote",
				v[0], got[i], v[1])
		}
	}
	return nil
}
