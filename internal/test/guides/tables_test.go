package guides_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

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
	routeRow = regexp.MustCompile("(?m)^\\| `(/[^`]+)` \\| ([^|]+) \\| ([^|]*) ?\\|$")
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

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
