package docs_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mutantRun = regexp.MustCompile(`(?m)^  run: '?(.+?)'?$`)
	loadName  = regexp.MustCompile(`(?m)^\t\t\{"([^"]+)", `)
	codeName  = regexp.MustCompile("`([^`]+)`")
	// claims are the rows of the tables of attacks and risks, and the items of the list.
	attacks   = regexp.MustCompile(`(?s)\| attack \|.*?\n\n`)
	risks     = regexp.MustCompile(`(?s)\| risk \|.*?\n\n`)
	others    = regexp.MustCompile(`(?s)Further risks:\n\n(.*?)\n\n`)
	otherItem = regexp.MustCompile(`(?m)^- `)
)

// TestThreatModel_EachClaimIsHeld: each names a test that takes its guard away with
// a mutant, or a load of make overload. A claim without one is only words.
func TestThreatModel_EachClaimIsHeld(t *testing.T) {
	t.Parallel()
	loads := map[string]bool{}
	for _, found := range loadName.FindAllStringSubmatch(readFile(t, "internal/tools/overload/loads.go"), -1) {
		loads[found[1]] = true
	}
	lists, err := filepath.Glob(filepath.Join(root, "internal/tools/mutants/lists/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var runs []*regexp.Regexp
	for _, list := range lists {
		for _, found := range mutantRun.FindAllStringSubmatch(readFile(t, strings.TrimPrefix(list, root)), -1) {
			runs = append(runs, regexp.MustCompile(found[1]))
		}
	}
	model := readFile(t, "docs/threat-model.md")
	var claims []string
	for _, table := range []*regexp.Regexp{attacks, risks} {
		claims = append(claims, strings.Split(strings.TrimSpace(table.FindString(model)), "\n")[2:]...)
	}
	claims = append(claims, otherItem.Split(others.FindStringSubmatch(model)[1], -1)[1:]...)
	if len(loads) < 13 || len(runs) < 130 || len(claims) < 25 {
		t.Fatalf("%d loads, %d mutants, %d claims: the texts have another form", len(loads), len(runs), len(claims))
	}
	named := map[string]bool{}
	for _, claim := range claims {
		held := strings.HasPrefix(claim, "**Prompt injection**") // what an agent does elsewhere
		for _, found := range codeName.FindAllStringSubmatch(claim, -1) {
			named[found[1]] = true
			held = held || loads[found[1]]
			for _, run := range runs {
				held = held || strings.HasPrefix(found[1], "Test") && run.MatchString(found[1])
			}
		}
		if !held {
			t.Errorf("no mutant and no load holds: %.100s", claim)
		}
	}
	for load := range loads {
		if load != "nothing" && !named[load] {
			t.Errorf("the threat model does not name the load %q", load)
		}
	}
}
