package docs_test

import (
	"regexp"
	"strings"
	"testing"
)

var (
	loadName  = regexp.MustCompile(`(?m)^\t\t\{name: "([^"]+)", `)
	codeName  = regexp.MustCompile("`([^`]+)`")
	// claims are the rows of the tables of attacks and risks, and the items of the list.
	attacks   = regexp.MustCompile(`(?s)\| attack \|.*?\n\n`)
	risks     = regexp.MustCompile(`(?s)\| risk \|.*?\n\n`)
	others    = regexp.MustCompile(`(?s)Further risks:\n\n(.*?)\n\n`)
	otherItem = regexp.MustCompile(`(?m)^- `)
)

// TestThreatModel_EachClaimIsHeld: each names a test or a load of make overload. A
// claim without one is only words.
func TestThreatModel_EachClaimIsHeld(t *testing.T) {
	t.Parallel()
	loads := map[string]bool{}
	for _, found := range loadName.FindAllStringSubmatch(readFile(t, "internal/tools/overload/loads.go"), -1) {
		loads[found[1]] = true
	}
	model := readFile(t, "docs/threat-model.md")
	var claims []string
	for _, table := range []*regexp.Regexp{attacks, risks} {
		claims = append(claims, strings.Split(strings.TrimSpace(table.FindString(model)), "\n")[2:]...)
	}
	claims = append(claims, otherItem.Split(others.FindStringSubmatch(model)[1], -1)[1:]...)
	if len(loads) < 13 || len(claims) < 25 {
		t.Fatalf("%d loads, %d claims: the texts have another form", len(loads), len(claims))
	}
	named := map[string]bool{}
	for _, claim := range claims {
		held := strings.HasPrefix(claim, "**Prompt injection**") // what an agent does elsewhere
		for _, found := range codeName.FindAllStringSubmatch(claim, -1) {
			named[found[1]] = true
			held = held || loads[found[1]] || strings.HasPrefix(found[1], "Test")
		}
		if !held {
			t.Errorf("no test and no load holds: %.100s", claim)
		}
	}
	for load := range loads {
		if load != "nothing" && !named[load] {
			t.Errorf("the threat model does not name the load %q", load)
		}
	}
}
