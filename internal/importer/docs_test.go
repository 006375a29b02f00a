package importer

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func importPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/import.md")
	require.NoError(t, err)
	return string(page)
}

func fences(page, language string) []string {
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```").FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return found
}

// The page's examples go in, and its mistake is told in its words.
func TestTheImportPagesExamples(t *testing.T) {
	t.Parallel()
	page := importPage(t)
	d := setup(t)
	examples := fences(page, "json")
	sum := d.mustImport(t, examples[0])
	check.Equal(t, len(sum.Kinds), len(kinds), "kinds in the example")
	d.want(t, "count(*)", "interviews WHERE usable", "1")
	sum = d.mustImport(t, examples[1])
	for _, k := range sum.Kinds {
		if k.Removed != 1 || k.Missing != 0 {
			t.Errorf("the delete example: %+v", k)
		}
	}
	err := parseOnly(client("") + "\n" + interview(`,"nps_score":"9"`))
	if want := fences(page, "text")[0]; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// The page lists each kind's fields, in the importer's order, and marks the
// required ones.
func TestTheImportPagesTables(t *testing.T) {
	t.Parallel()
	sections := strings.Split(importPage(t), "\n### ")[1:]
	if len(sections) != len(kinds) {
		t.Fatalf("the page has %d kinds, want %d", len(sections), len(kinds))
	}
	for n, section := range sections {
		k := kinds[n]
		if title, _, _ := strings.Cut(section, "\n"); title != k.name {
			t.Errorf("section %d is about %s, want %s", n+1, title, k.name)
		}
		var got, want []string
		for _, m := range regexp.MustCompile("(?m)^\\| (`\\w+`(?: \\*)?) \\|").FindAllStringSubmatch(section, -1) {
			got = append(got, m[1])
		}
		for _, c := range k.columns {
			switch {
			case c.field == "":
			case c.presence == required:
				want = append(want, "`"+c.field+"` *")
			default:
				want = append(want, "`"+c.field+"`")
			}
		}
		check.Slices(t, got, want, k.name)
	}
}
