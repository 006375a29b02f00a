package search_test

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/dbtest"
	"github.com/clientintel/clientintel/internal/search"
)

// capitals is how many letters of Unicode 15 have a small one, ASCII included.
const capitals = 1433

// Every character there is folds as Unicode says, one to one, and folding a
// folded text changes nothing.
func TestFolding_OfEveryCharacter(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	changed := 0
	for from := rune(1); from <= utf8.MaxRune; from += 1 << 14 {
		var b strings.Builder
		for r := from; r < from+1<<14 && r <= utf8.MaxRune; r++ {
			if utf8.ValidRune(r) {
				b.WriteRune(r)
			}
		}
		var folded, again string
		if err := conn.QueryRow(context.Background(), "SELECT fold_text($1), fold_text(fold_text($1))", b.String()).Scan(&folded, &again); err != nil {
			t.Fatal(err)
		}
		if again != folded {
			t.Errorf("from %U on: folding again changes the text", from)
		}
		before, after := []rune(b.String()), []rune(folded)
		if len(before) != len(after) {
			t.Fatalf("from %U on: %d characters became %d", from, len(before), len(after))
		}
		for i, r := range before {
			switch got := after[i]; {
			case r == '\uffff' && got != utf8.RuneError:
				t.Errorf("the separator of fields folds to %U", got)
			case r == '\uffff' || got == r:
			case got != unicode.ToLower(r):
				t.Errorf("%U folds to %U, want %U", r, got, unicode.ToLower(r))
			default:
				changed++
			}
		}
	}
	if changed != capitals {
		t.Errorf("%d characters are folded, want %d", changed, capitals)
	}
}

// A server does not start on a database that folds otherwise than the others.
func TestCheck_RefusesAnotherFolding(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	if err := search.Check(context.Background(), conn); err != nil {
		t.Fatalf("the migrated database is refused: %v", err)
	}
	for name, body := range map[string]string{
		"ASCII only":      `SELECT lower(original COLLATE "C")`,
		"nothing at all":  `SELECT original`,
		"accents removed": `SELECT translate(lower(original), 'éèû', 'eeu')`,
	} {
		if _, err := conn.Exec(context.Background(), "CREATE OR REPLACE FUNCTION fold_text(original text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ "+body+" $$"); err != nil {
			t.Fatal(err)
		}
		if err := search.Check(context.Background(), conn); err == nil || !strings.Contains(err.Error(), "so searches would miss interviews") {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
}
