package search_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

var update = flag.Bool("update", false, "write the lists of letters into the migration")

// representative is the letter that stands for all that differ from r in nothing but
// case: Unicode's simple case folding, as its orbits in Go's tables have it.
func representative(r rune) rune {
	if unicode.SimpleFold(r) == r {
		return r // İ and ı, too
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	return unicode.ToLower(unicode.ToUpper(least))
}

// The lists in the migration are those of Unicode, in the version that it names.
// Once the migration is released, another version needs a migration of its own, which
// folds the documents again.
func TestFolding_ListsAreUnicodes(t *testing.T) {
	t.Parallel()
	const file = "../../sql/migrations/00006_search.sql"
	var variants, letters []rune
	for r := rune(unicode.MaxASCII + 1); r <= unicode.MaxRune; r++ {
		letter := representative(r)
		check.Equal(t, representative(letter), letter, r)
		if letter != r {
			variants, letters = append(variants, r), append(letters, letter)
		}
	}
	migration, err := os.ReadFile(file)
	require.NoError(t, err)
	want := regexp.MustCompile(`simple case folding \([0-9.]+\)`).ReplaceAllString(string(migration), "simple case folding ("+unicode.Version+")")
	for name, list := range map[string][]rune{"variants": variants, "letters": letters} {
		written := regexp.MustCompile(`( ` + name + ` CONSTANT text COLLATE "C" :=)(\n +'[^']*')+;`)
		if !written.MatchString(want) {
			t.Fatalf("%s has no list of %s", file, name)
		}
		want = written.ReplaceAllString(want, "${1}"+inLines(list)+";")
	}
	if want == string(migration) {
		return
	}
	if !*update {
		t.Fatalf("the letters in %s are not those of Unicode %s: run go test ./internal/search -run ListsAreUnicodes -update", file, unicode.Version)
	}
	require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
}

// inLines is a list as SQL's literal over several lines.
func inLines(list []rune) string {
	var b strings.Builder
	for len(list) > 0 {
		n := min(len(list), 96)
		b.WriteString("\n            '" + string(list[:n]) + "'")
		list = list[n:]
	}
	return b.String()
}
