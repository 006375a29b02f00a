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

// vocabulary is what the contract has names for.
type vocabulary struct {
	// parameters are the query parameters of each route, by its path below the
	// prefix.
	parameters map[string][]string
	scopes     map[string]string // by route
	words      map[string]bool   // parameters, fields, values, codes
	headers    map[string]bool
	codes      map[string][]string // by status, as in the contract's table of errors
	fields     map[string][]string // by schema
}

// toolRoutes are the five tools and the routes they ask.
func toolRoutes() map[string]string {
	return map[string]string{
		"get_interview_analytics":      "/analytics/interviews",
		"get_synthesis_document":       "/synthesis",
		"list_campaigns":               "/campaigns",
		"list_interviews":              "/interviews",
		"search_customer_intelligence": "/intelligence/search",
	}
}

var (
	scopeRow = regexp.MustCompile("(?m)^\\| `((?:read|export):[a-z_]+)` \\|")
	errorRow = regexp.MustCompile(`(?m)^\| ([0-9]{3}(?:, [0-9]{3})*) \| (.+?) \|`)
	codeSpan = regexp.MustCompile("`([^`]+)`")
)

func readVocabulary(t *testing.T) vocabulary {
	t.Helper()
	text := openapi.JSON()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	v := vocabulary{
		parameters: map[string][]string{}, scopes: map[string]string{}, words: map[string]bool{}, headers: map[string]bool{},
		codes: errorTable(doc.Info.Description), fields: map[string][]string{},
	}
	for path, item := range doc.Paths.Map() {
		route := strings.TrimPrefix(path, prefix)
		v.parameters[route] = []string{}
		for _, p := range item.Get.Parameters {
			v.words[p.Value.Name] = true
			v.addSchema(p.Value.Schema.Value)
			if p.Value.In == "query" {
				v.parameters[route] = append(v.parameters[route], p.Value.Name)
			}
		}
		for _, requirement := range *item.Get.Security {
			for _, scopes := range requirement {
				v.scopes[route] = strings.Join(scopes, " ")
			}
		}
		for _, response := range item.Get.Responses.Map() {
			for name := range response.Value.Headers {
				v.headers[name] = true
			}
		}
	}
	for name, schema := range doc.Components.Schemas {
		v.addSchema(schema.Value)
		v.fields[name] = slices.Sorted(maps.Keys(schema.Value.Properties))
	}
	for _, scope := range auth.All() {
		v.words[string(scope)] = true
	}
	for _, codes := range v.codes {
		for _, code := range codes {
			v.words[code] = true
		}
	}
	for tool := range toolRoutes() {
		v.words[tool] = true
	}
	return v
}

// addSchema takes the names of a schema's properties and its fixed values.
// Schemas that it refers to are added on their own.
func (v vocabulary) addSchema(s *openapi3.Schema) {
	for name, property := range s.Properties {
		v.words[name] = true
		if property.Ref == "" {
			v.addSchema(property.Value)
		}
	}
	for _, value := range append(s.Enum, s.Const) {
		if text, ok := value.(string); ok {
			v.words[text] = true
		}
	}
	for _, part := range s.AllOf {
		if part.Ref == "" {
			v.addSchema(part.Value)
		}
	}
}

// errorTable reads the rows `| 400 | `code` | …` of a table of errors.
func errorTable(text string) map[string][]string {
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
