package main

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// A change of what a mutant names shows here, before all of them are run.
func TestList_EachMutantApplies(t *testing.T) {
	t.Parallel()
	all, err := load()
	require.NoError(t, err)
	for _, m := range all {
		if m.Promise == "" || m.SQL != "" && m.Tests == "" {
			t.Errorf("%s needs a promise, and of SQL its tests", m)
		}
		if _, err := m.changed("../../.."); err != nil {
			t.Errorf("%s: %v", m, err)
		}
	}
}

func TestChangedGo_FindsStatementAndExpression(t *testing.T) {
	t.Parallel()
	this := mutant{Package: ".", Function: "TestChangedGo_FindsStatementAndExpression"}
	for want, change := range map[string]func(*mutant){
		"if false {\nt.Parallel()\n}":  func(m *mutant) { m.Statement = "t.Parallel" },
		"Function: \"nothing of it\"}": func(m *mutant) { m.Statement, m.Replace, m.With = "this :=", `"TestChanged`, `"nothing of it"` },
	} {
		m := this
		change(&m)
		changed, err := m.changed(".")
		if err != nil || !strings.Contains(changed["mutant_test.go"], want) {
			t.Errorf("%s: %v, %s", m, err, changed)
		}
	}
	this.Statement = "no statement"
	if changed, err := this.changed("."); err == nil {
		t.Errorf("changed %s", changed)
	}
}
