package guides_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// The BI guide lists every error there is, under its status.
func TestBIGuide_ListsEveryErrorCode(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	guide := string(openapi.BIGuide(""))
	_, section, _ := strings.Cut(guide, "\n### Errors\n")
	got := errorTable(section)
	for status, codes := range v.codes {
		for _, code := range codes {
			elsewhere := fmt.Sprintf("`%s` (%s)", code, status) // those of the agents' endpoint
			if !slices.Contains(got[status], code) && !strings.Contains(strings.ReplaceAll(guide, "\n", " "), elsewhere) {
				t.Errorf("the guide does not list %s %s", status, code)
			}
		}
	}
	for status, codes := range got {
		for _, code := range codes {
			if !slices.Contains(v.codes[status], code) {
				t.Errorf("the guide lists %s %s, and the contract does not", status, code)
			}
		}
	}
	if len(v.codes) < 8 || len(got) < 7 {
		t.Errorf("the contract has %d statuses and the guide %d", len(v.codes), len(got))
	}
}

// The agent guide says what to do about every code.
func TestAgentGuide_SaysWhatToDoAboutEveryCode(t *testing.T) {
	t.Parallel()
	guide := string(openapi.AgentGuide(""))
	for status, codes := range readVocabulary(t).codes {
		for _, code := range codes {
			switch code {
			case "method_not_allowed", "forbidden_origin", "not_acceptable", "unsupported_media_type":
				continue // the host's mistakes, not the agent's
			}
			if !strings.Contains(guide, "`"+code+"`") {
				t.Errorf("the guide does not say what to do about %s %s", status, code)
			}
		}
	}
}

// The tables of routes are the contract's: every route, its scope and all of
// its filters, and nothing else.
func TestGuides_TablesOfRoutesAreTheContracts(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	row := regexp.MustCompile("(?m)^\\| `(/[^`]+)` \\| ([^|]+) \\| ([^|]*) ?\\|$")
	found := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(openapi.BIGuide("")), -1) {
		route, scope, filters := m[1], m[2], m[3]
		found[route] = true
		if v.scopes[route] != "" && scope != "`"+v.scopes[route]+"`" {
			t.Errorf("%s needs %s, and the guide says %s", route, v.scopes[route], scope)
		}
		var named []string
		for _, span := range codeSpan.FindAllStringSubmatch(filters, -1) {
			name, _, _ := strings.Cut(span[1], "=")
			named = append(named, name)
		}
		var want []string
		for _, name := range v.parameters[route] {
			// Lists have these two in common; search's limit is its own.
			if name != "starting_after" && (name != "limit" || route == "/intelligence/search") {
				want = append(want, name)
			}
		}
		slices.Sort(named)
		slices.Sort(want)
		if !slices.Equal(named, want) {
			t.Errorf("%s: the guide lists %v, the contract %v", route, named, want)
		}
	}
	for route := range v.parameters {
		if !found[route] {
			t.Errorf("the BI guide's table has no row for %s", route)
		}
	}
	toolRow := regexp.MustCompile("(?m)^\\| [^|]+ \\| `?([a-z_ ]+)`? \\| `(/[^`]+)` \\| `([^`]+)` \\|$")
	tools := map[string]string{}
	for _, m := range toolRow.FindAllStringSubmatch(string(openapi.AgentGuide("")), -1) {
		if m[1] != "no tool" {
			tools[m[1]] = m[2]
		}
		if v.scopes[m[2]] != m[3] {
			t.Errorf("%s needs %s, and the agent guide says %s", m[2], v.scopes[m[2]], m[3])
		}
	}
	if !maps.Equal(tools, toolRoutes()) {
		t.Errorf("the agent guide has the tools %v, want %v", tools, toolRoutes())
	}
}

// Each scope is explained once in each guide's tables.
func TestGuides_ExplainEveryScope(t *testing.T) {
	t.Parallel()
	for guide, markdown := range guideSources() {
		explained := map[string]bool{}
		for _, m := range scopeRow.FindAllStringSubmatch(markdown, -1) {
			explained[m[1]] = true
		}
		for _, scope := range auth.All() {
			isDefault := slices.Contains(auth.Default(), scope)
			if !explained[string(scope)] && (guide == biGuide || !isDefault) {
				t.Errorf("%s does not explain %s", guide, scope)
			}
			if !strings.Contains(markdown, "`"+string(scope)+"`") {
				t.Errorf("%s does not name %s", guide, scope)
			}
		}
	}
}
