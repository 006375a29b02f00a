package openapi_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// Of the parameters of an operation the Python client knows those that its types name.
func TestPythonClient_FiltersAreTheParameters(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("clients/python/clientintel/_filters.py")
	require.NoError(t, err)
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
		want := slices.DeleteFunc(queryParameters(t, operation), func(name string) bool { return name == "q" || name == "surface" })
		slices.Sort(got)
		slices.Sort(want)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%v: _filters.py has %v, %s takes %v", of, got, operation, want)
		}
	}
}
