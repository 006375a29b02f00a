package search_test

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Every character there is folds as Unicode says, one to one: two letters become the
// same exactly when they differ in nothing but case. Folding again changes nothing.
func TestFolding_OfEveryCharacter(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	for from := rune(1); from <= utf8.MaxRune; from += 1 << 14 {
		var b strings.Builder
		for r := from; r < from+1<<14 && r <= utf8.MaxRune; r++ {
			if utf8.ValidRune(r) {
				b.WriteRune(r)
			}
		}
		var folded, again string
		require.NoError(t, conn.QueryRow(context.Background(), "SELECT fold_case($1), fold_case(fold_case($1))", b.String()).Scan(&folded, &again))
		check.Equal(t, again, folded, "folding again", from)
		before, after := []rune(b.String()), []rune(folded)
		if len(before) != len(after) {
			t.Fatalf("from %U on: %d characters became %d", from, len(before), len(after))
		}
		for i, r := range before {
			want := representative(r)
			if r == '\uffff' {
				want = unicode.ReplacementChar // it separates fields
			}
			check.Equal(t, after[i], want, "folds to", r)
		}
	}
}

// A text is folded in time linear in its length, whatever its letters: a text of 1 MB
// takes a fraction of the statement timeout, where work for each capital of the text
// and each of its characters would take hours.
func TestFolding_IsLinear(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	dbtest.Exec(t, conn, "SET statement_timeout = '30s'")
	var every strings.Builder
	for r := rune(unicode.MaxASCII + 1); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			every.WriteRune(r)
		}
	}
	mojibake := "Съешь ещё этих мягких французских булок. "
	for range 3 {
		mojibake = readAsLatin1(mojibake)
	}
	for name, piece := range map[string]string{
		"one capital and much else": "Я lorem ",
		"capitals alone":            "ЯŽΣԱ",
		"mojibake":                  mojibake,
		"every letter of Unicode":   every.String(),
	} {
		text := strings.Repeat(piece, 1<<20/len(piece))
		var folded string
		if err := conn.QueryRow(context.Background(), "SELECT fold_case($1)", text).Scan(&folded); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if folded != fold(text) {
			t.Errorf("%s is not folded as a short text is", name)
		}
	}
}

// readAsLatin1 is what becomes of a text when its bytes are taken for Latin-1.
func readAsLatin1(text string) string {
	runes := make([]rune, len(text))
	for i := range len(text) {
		runes[i] = rune(text[i])
	}
	return string(runes)
}

// A server does not start on a database that folds otherwise than the others.
func TestCheck_RefusesAnotherFolding(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	require.NoError(t, search.Check(context.Background(), conn))
	for name, body := range map[string]string{
		"ASCII only":      `SELECT lower(original COLLATE "C")`,
		"nothing at all":  `SELECT original`,
		"accents removed": `SELECT translate(lower(original), 'éèû', 'eeu')`,
	} {
		dbtest.Exec(t, conn, "CREATE OR REPLACE FUNCTION fold_case(original text) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$ "+body+" $$")
		check.Error(t, search.Check(context.Background(), conn), "so searches would miss interviews", name)
	}
}
