package docs_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	mutantRun = regexp.MustCompile(`(?m)^  run: '?(.+?)'?$`)
	loadName  = regexp.MustCompile(`(?m)^\t\t\{name: "([^"]+)", `)
	codeName  = regexp.MustCompile("`([^`]+)`")
	// claims are the rows of the tables of attacks and risks, and the items of the list.
	attacks   = regexp.MustCompile(`(?s)\| attack \|.*?\n\n`)
	risks     = regexp.MustCompile(`(?s)\| risk \|.*?\n\n`)
	others    = regexp.MustCompile(`(?s)Further risks:\n\n(.*?)\n\n`)
	otherItem = regexp.MustCompile(`(?m)^- `)
)

// fuzzed are the fuzz targets that the pages name, each with the test of the same guard
// that a mutant fails: one that only fuzzing finds would take hours.
var fuzzed = map[string]string{
	"FuzzAnswers":          "TestListInterviews_RefusedParameters",
	"FuzzAuthorization":    "TestAuthenticate_AuthorizationHeader",
	"FuzzBody":             "TestMalformed_Messages",
	"FuzzCheckMessage":     "TestMalformed_Messages",
	"FuzzCheckRequest":     "TestListInterviews_RefusedParameters",
	"FuzzCursor":           "TestCursor_OtherScopesRefuseIt",
	"FuzzDecodingIsLinear": "TestLimits_AreEnforced",
	"FuzzImport":           "TestBadLines_AreRefusedWithLineAndField",
	"FuzzInterviewPath":    "TestGetInterview_AnEncodedIDIsTheSameID",
	"FuzzLine":             "TestBadLines_AreRefusedWithLineAndField",
	"FuzzParse":            "TestParse_Refuses",
	"FuzzParseArguments":   "TestParseArguments",
	"FuzzParseToken":       "TestToken_WrongRestsNameThePrefixAndMatchNothing",
	"FuzzEncode":           "TestCursor_AnyEditRefusesIt",
	"FuzzVerify":           "TestVerify_ChangesAreFound",
}

// unheld are the tests that no mutant fails, each with the reason.
var unheld = map[string]string{
	"TestServerRole_KeepsOnlyWhatPostgreSQLGrantsEveryone": "states what PostgreSQL leaves to every role: there is no guard to take away",
}

// mutated reports of a test's name whether a mutant fails it.
func mutated(t *testing.T) func(name string) bool {
	t.Helper()
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
	if len(runs) < 200 {
		t.Fatalf("%d mutants: the lists have another form", len(runs))
	}
	return func(name string) bool {
		if test, isFuzzed := fuzzed[name]; isFuzzed {
			name = test
		}
		return slices.ContainsFunc(runs, func(run *regexp.Regexp) bool { return run.MatchString(name) })
	}
}

// TestSecurity_EachTestIsHeld: a mutant takes away the guard of each test that the
// pages name. A test that nothing fails may hold nothing.
func TestSecurity_EachTestIsHeld(t *testing.T) {
	t.Parallel()
	isHeld := mutated(t)
	named := map[string]bool{}
	for _, page := range []string{"docs/threat-model.md", "docs/security.md"} {
		for line := range strings.Lines(readFile(t, page)) {
			for _, found := range testName.FindAllStringSubmatch(line, -1) {
				name := found[1]
				named[name] = true
				switch held, excused := isHeld(name), unheld[name] != ""; {
				case !held && !excused:
					t.Errorf("%s: no mutant fails %s, named in %.100s", page, name, line)
				case held && excused:
					t.Errorf("%s is excused without need", name)
				}
			}
		}
	}
	for _, listed := range []map[string]string{fuzzed, unheld} {
		for name := range listed {
			if !named[name] {
				t.Errorf("no page names %s", name)
			}
		}
	}
}

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
	isMutated := mutated(t)
	named := map[string]bool{}
	for _, claim := range claims {
		held := strings.HasPrefix(claim, "**Prompt injection**") // what an agent does elsewhere
		for _, found := range codeName.FindAllStringSubmatch(claim, -1) {
			named[found[1]] = true
			held = held || loads[found[1]] || strings.HasPrefix(found[1], "Test") && isMutated(found[1])
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
