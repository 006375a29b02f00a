package openapi_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
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

// Of the parameters of an operation the Python client knows those that its types name.
func TestPythonClient_FiltersAreTheParameters(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("clients/python/clientintel/_filters.py")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string][]string{}
	member := regexp.MustCompile(`(?m)^    (\w+): `)
	for _, class := range regexp.MustCompile(`class (\w+)\((.*)\):\n((?:    .*\n)+)`).FindAllStringSubmatch(string(text), -1) {
		var names []string
		for base := range strings.SplitSeq(class[2], ", ") {
			names = append(names, types[base]...)
		}
		for _, m := range member.FindAllStringSubmatch(class[3], -1) {
			names = append(names, m[1])
		}
		types[class[1]] = names
	}
	for operation, of := range map[string][]string{
		"listInterviews": {"InterviewFilters"}, "listCampaigns": {"CampaignFilters"}, "listSynthesis": {"SynthesisFilters", "PortalFilters"},
		"getInterviewAnalytics": {"AnalyticsFilters"}, "searchIntelligence": {"SearchFilters"},
	} {
		var got []string
		for _, name := range of {
			got = append(got, types[name]...)
		}
		// These are no filters: methods of their own set them.
		want := slices.DeleteFunc(slices.Clone(surface[operation].query), func(name string) bool { return name == "q" || name == "surface" })
		slices.Sort(got)
		slices.Sort(want)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%v: _filters.py has %v, %s takes %v", of, got, operation, want)
		}
	}
}
