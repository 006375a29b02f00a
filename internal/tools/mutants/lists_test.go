package main

import (
	"os"
	"path/filepath"
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
