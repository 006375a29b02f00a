package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestLists_AreComplete(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Error("there are no mutants")
	}
}

// A change of a guard shows here, and not at the next run of all mutants, that its
// mutant is to be written anew.
func TestLists_EachMutantAppliesOnce(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if _, err := m.mutated("../../.."); err != nil {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
}

// A mutant of a function that a later migration replaces changes nothing that runs.
func TestLists_NoMutantIsOfAReplacedFunction(t *testing.T) {
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../sql/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	function := regexp.MustCompile(`FUNCTION \w+\(`)
	up := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(string(text), "-- +goose Down")
		return before
	}
	checked := 0
	for _, m := range all {
		at := slices.IndexFunc(files, func(file string) bool { return filepath.Base(file) == filepath.Base(m.File) })
		if at < 0 {
			continue
		}
		before, _, _ := strings.Cut(up(files[at]), m.Old)
		found := function.FindAllString(before, -1)
		if len(found) == 0 {
			continue
		}
		checked++
		for _, later := range files[at+1:] {
			if last := found[len(found)-1]; strings.Contains(up(later), last) {
				t.Errorf("%s: %s replaces the last function before it in %s, %s…)", m.Name, filepath.Base(later), m.File, last)
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d mutants were checked", checked)
	}
}

func TestMutated_WantsTheOldTextOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("a b b"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := (mutant{File: "f", Old: "a", New: "c"}).mutated(dir); err != nil || string(got) != "c b b" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, old := range []string{"b", "x"} {
		if got, err := (mutant{File: "f", Old: old}).mutated(dir); err == nil {
			t.Errorf("%q: got %q", old, got)
		}
	}
}
