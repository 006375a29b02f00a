package search_test

import (
	"context"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// countWork makes the connection's folding count what it does: the characters that each
// function which walks a text walks, times the letters that it compares each with.
func countWork(t testing.TB, conn *pgx.Conn) {
	t.Helper()
	exec(t, conn, `CREATE SCHEMA counted;
		CREATE FUNCTION counted.add(n bigint) RETURNS void LANGUAGE plpgsql AS
			'BEGIN PERFORM set_config(''counted.work'', (current_setting(''counted.work'')::bigint + n)::text, false); END';
		CREATE FUNCTION counted.translate(a text, b text, c text) RETURNS text LANGUAGE plpgsql AS
			'BEGIN PERFORM counted.add(char_length(a) * char_length(b)); RETURN pg_catalog.translate(a, b, c); END';
		CREATE FUNCTION counted.strpos(a text, b text) RETURNS integer LANGUAGE plpgsql AS
			'BEGIN PERFORM counted.add(char_length(a)); RETURN pg_catalog.strpos(a, b); END';
		CREATE FUNCTION counted.replace(a text, b text, c text) RETURNS text LANGUAGE plpgsql AS
			'BEGIN PERFORM counted.add(char_length(a)); RETURN pg_catalog.replace(a, b, c); END';
		CREATE FUNCTION counted.lower(a text) RETURNS text LANGUAGE plpgsql AS
			'BEGIN PERFORM counted.add(char_length(a)); RETURN pg_catalog.lower(a); END';
		SET search_path = counted, pg_catalog, public`)
}

func workOf(t testing.TB, conn *pgx.Conn, query, text string) int {
	t.Helper()
	var work int
	exec(t, conn, "SELECT set_config('counted.work', '0', false)")
	exec(t, conn, query, text)
	if err := conn.QueryRow(context.Background(), "SELECT current_setting('counted.work')::integer").Scan(&work); err != nil {
		t.Fatal(err)
	}
	return work
}

// Work is counted, not timed: of sixteen times a text there is at most sixteen times
// the work, and of any text at most so much a character.
func FuzzFoldingIsLinear(f *testing.F) {
	conn := connect(f, dbtest.New(f).OwnerURL)
	countWork(f, conn)
	var every strings.Builder
	for r := rune(unicode.MaxASCII + 1); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			every.WriteRune(r)
		}
	}
	for _, text := range []string{"", "plain", "Я lorem ", "ЯŽΣԱ", readAsLatin1("Съешь Ещё"), every.String(), "a\uffffB\u0001", `["Ä", "Б; \\", 1, null]`, "\u202eİı"} {
		f.Add(text)
	}
	// The letters are tried in groups of 32, each group once.
	perCharacter := 32*(len([]rune(every.String()))/32+1) + 50
	const times, once = 16, 200_000
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) || len(text) > 20_000 {
			return // no text of a database
		}
		for what, query := range map[string]string{
			"fold_case":     "SELECT fold_case($1)",
			"searched_text": "SELECT searched_text(jsonb_build_object('best_quote', $1::text, 'feature_requests', jsonb_build_array($1::text, 1, $1::text)), '')",
		} {
			one, many := workOf(t, conn, query, text), workOf(t, conn, query, strings.Repeat(text, times))
			if one == 0 && text != "" {
				t.Fatalf("%s: nothing was counted", what)
			}
			if many > times*one {
				t.Errorf("%s of %q: work of %d, and of %d for %d times the text", what, text, one, many, times)
			}
			if most := 4*perCharacter*times*len(text) + once; many > most {
				t.Errorf("%s of %d times %q: work of %d, want at most %d", what, times, text, many, most)
			}
		}
	})
}
