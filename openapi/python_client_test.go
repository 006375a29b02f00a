package openapi_test

import (
	"maps"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The Python client makes columns of the fields that its tables name, and leaves out
// any other.
func TestPythonClient_TablesHaveEveryField(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("clients/python/clientintel/_tables.py")
	if err != nil {
		t.Fatal(err)
	}
	schemas := load(t).Components.Schemas
	for table, schema := range map[string]string{
		"interviews": "Interview", "campaigns": "Campaign", "synthesis": "SynthesisDocumentRow",
	} {
		_, rest, _ := strings.Cut(string(text), `"`+table+`": {`)
		columns, _, _ := strings.Cut(rest, "}")
		got, want := map[string]string{}, map[string]string{}
		for _, column := range regexp.MustCompile(`"(\w+)": "(\w+)"`).FindAllStringSubmatch(columns, -1) {
			got[column[1]] = column[2]
		}
		for name, property := range schemas[schema].Value.Properties {
			want[name] = pythonKind(property.Value)
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: _tables.py has\n%v, the contract\n%v", table, got, want)
		}
	}
}

// pythonKind is what _tables.py calls a field's type.
func pythonKind(s *openapi3.Schema) string {
	switch {
	case s.Format == "date-time":
		return "time"
	case s.Format == "date":
		return "date"
	case s.Type.Includes("number"), s.Type.Includes("boolean"):
		return s.Type.Slice()[0]
	case s.Type.Includes("string"):
		return "text"
	default:
		return "json"
	}
}
