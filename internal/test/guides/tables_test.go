package guides_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// toolRoutes are the five tools and the routes that they call.
func toolRoutes() map[string]string {
	return map[string]string{
		"get_interview_analytics":      "/analytics/interviews",
		"get_synthesis_document":       "/synthesis",
		"list_campaigns":               "/campaigns",
		"list_interviews":              "/interviews",
		"search_customer_intelligence": "/intelligence/search",
	}
}

// route is what the contract says of a path.
type route struct {
	scope   string
	filters []string // query parameters but those that all lists share
}

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// routes are the contract's, by path below the prefix.
func routes(t *testing.T) map[string]route {
	t.Helper()
	found := map[string]route{}
	for path, item := range contract(t).Paths.Map() {
		path = strings.TrimPrefix(path, prefix)
		var r route
		for _, requirement := range *item.Get.Security {
			for _, scopes := range requirement {
				r.scope = strings.Join(scopes, " ")
			}
		}
		for _, p := range item.Get.Parameters {
			shared := p.Value.Name == "starting_after" || p.Value.Name == "limit" && path != "/intelligence/search"
			if p.Value.In == "query" && !shared {
				r.filters = append(r.filters, p.Value.Name)
			}
		}
		slices.Sort(r.filters)
		found[path] = r
	}
	return found
}

var (
	errorRow = regexp.MustCompile(`(?m)^\| ([0-9]{3}(?:, [0-9]{3})*) \| (.+?) \|`)
	scopeRow = regexp.MustCompile("(?m)^\\| `((?:read|export):[a-z_]+)` \\|")
	routeRow = regexp.MustCompile("(?m)^\\| `(/[^`]+)` \\| ([^|]+) \\| ([^|]*) ?\\|$")
	toolRow  = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([a-z_]+)` \\| `(/[^`]+)` \\| `([^`]+)` \\|$")
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

// errorCodes are the codes of a table of errors, by status.
func errorCodes(text string) map[string][]string {
	codes := map[string][]string{}
	for _, row := range errorRow.FindAllStringSubmatch(text, -1) {
		statuses := strings.Split(row[1], ", ")
		for i, span := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			status := statuses[min(i, len(statuses)-1)]
			codes[status] = append(codes[status], span[1])
		}
	}
	return codes
}

// The BI guide's table has every route of the contract, with its scope and all
// its filters.
func TestBIGuide_TableOfRoutesIsTheContracts(t *testing.T) {
	t.Parallel()
	want, found := routes(t), map[string]bool{}
	for _, row := range routeRow.FindAllStringSubmatch(string(openapi.BIGuide("")), -1) {
		path, scope := row[1], row[2]
		found[path] = true
		if want[path].scope != "" && scope != "`"+want[path].scope+"`" {
			t.Errorf("%s needs %s, and the guide has %s", path, want[path].scope, scope)
		}
		var filters []string
		for _, span := range codeSpan.FindAllStringSubmatch(row[3], -1) {
			name, _, _ := strings.Cut(span[1], "=")
			filters = append(filters, name)
		}
		slices.Sort(filters)
		if !slices.Equal(filters, want[path].filters) {
			t.Errorf("%s: the guide lists %v, the contract %v", path, filters, want[path].filters)
		}
	}
	for path := range want {
		if !found[path] {
			t.Errorf("the guide's table has no row for %s", path)
		}
	}
}

// The agent guide's table has every tool, with its route and scope.
func TestAgentGuide_TableOfToolsIsComplete(t *testing.T) {
	t.Parallel()
	contract, found := routes(t), map[string]string{}
	for _, row := range toolRow.FindAllStringSubmatch(string(openapi.AgentGuide("")), -1) {
		found[row[1]] = row[2]
		if contract[row[2]].scope != row[3] {
			t.Errorf("%s needs %s, and the guide has %s", row[2], contract[row[2]].scope, row[3])
		}
	}
	if !maps.Equal(found, toolRoutes()) {
		t.Errorf("the guide has the tools %v, want %v", found, toolRoutes())
	}
}

// The guides explain every code of the contract's table of errors: the BI guide
// under its status, the agent guide unless the code is a mistake of the host.
func TestGuides_ExplainEveryErrorCode(t *testing.T) {
	t.Parallel()
	bi, agent := string(openapi.BIGuide("")), string(openapi.AgentGuide(""))
	listed := errorCodes(bi)
	ofHosts := []string{"method_not_allowed", "forbidden_origin", "not_acceptable", "unsupported_media_type"}
	want := errorCodes(contract(t).Info.Description)
	if len(want) == 0 {
		t.Fatal("the contract has no table of errors")
	}
	for status, codes := range want {
		for _, code := range codes {
			if !slices.Contains(listed[status], code) && !strings.Contains(bi, "`"+code+"` ("+status+")") {
				t.Errorf("the BI guide does not list %s %s", status, code)
			}
			if !slices.Contains(ofHosts, code) && !strings.Contains(agent, "`"+code+"`") {
				t.Errorf("the agent guide does not list %s", code)
			}
		}
	}
	for status, codes := range listed {
		for _, code := range codes {
			if !slices.Contains(want[status], code) {
				t.Errorf("the BI guide lists %s %s, and the contract does not", status, code)
			}
		}
	}
}

// The guides explain every scope, the agent guide those that are not default.
func TestGuides_ExplainEveryScope(t *testing.T) {
	t.Parallel()
	for guide, markdown := range guideSources() {
		explained := map[string]bool{}
		for _, m := range scopeRow.FindAllStringSubmatch(markdown, -1) {
			explained[m[1]] = true
		}
		for _, scope := range auth.All() {
			if !explained[string(scope)] && (guide == biGuide || !slices.Contains(auth.Default(), scope)) {
				t.Errorf("%s does not explain %s", guide, scope)
			}
		}
	}
}
