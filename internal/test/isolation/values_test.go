package isolation

import (
	"net/url"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// values are, parameter by parameter, queries with something of a client's that
// another could try; a query also has the parameters that this one needs.
// "operation.parameter" comes before "parameter".
func (c client) values() map[string][]string {
	return map[string][]string{
		"id":                              {c.id("interview 1").String(), c.id("own interview").String(), shared.String()},
		"campaign_id":                     {"campaign_id=" + c.id("campaign").String(), "campaign_id=" + c.id("own campaign").String()},
		"lane_id":                         {"lane_id=" + c.id("lane").String(), "lane_id=" + c.id("own lane").String()},
		"status":                          {"status=" + c.status},
		"listCampaigns.status":            {"status=live", "status=" + c.name + "-status"},
		"campaign":                        {"campaign=same", "campaign=" + c.name + "-campaign"},
		"getInterviewAnalytics.campaign":  {window + "&campaign=same", window + "&campaign=" + c.name + "-campaign"},
		"listSynthesis.campaign":          {portal + "campaign&campaign=same", portal + "campaign&campaign=" + c.name + "-campaign"},
		"listSynthesis.lane":              {portal + "lane&lane=same", portal + "lane&lane=" + c.name + "-lane"},
		"q":                               {"q=same", "q=" + c.word()},
		"date_from":                       {"date_from=" + c.day},
		"date_to":                         {"date_to=" + c.day},
		"getInterviewAnalytics.date_from": {"date_from=" + c.day + "&date_to=" + c.day, window},
		"getInterviewAnalytics.date_to":   {"date_to=" + c.day},
		"listSynthesis.date_from":         {"type=daily_feed&date_from=" + c.day, portal + "daily_feed&date_from=" + c.day},
		"listSynthesis.date_to":           {"type=daily_feed&date_to=" + c.day, portal + "daily_feed&date_to=" + c.day},
		"day":                             {"type=daily_feed&day=" + c.day, portal + "daily_feed&day=" + c.day},
		"updated_since":                   {"updated_since=" + c.day},
		"type":                            {"type=home", "type=lane", "type=campaign", "type=daily_feed", portal + "playbook", portal + "creative_concept"},
		"surface":                         {"surface=portal", portal + "lane", portal + "campaign", portal + "daily_feed"},
		"limit":                           {"limit=1", "limit=200"},
		"include_basis":                   {"include_basis=true"},
		"include_rows":                    {"include_rows=true", "include_rows=true&" + window},
		"include_transcripts":             {"include_transcripts=false", "include_transcripts=true"},
		"starting_after":                  {"limit=1"}, // the first page whose cursor is tried
		"listSynthesis.starting_after":    {"limit=1", "limit=1&type=lane", "limit=1&" + portal + "daily_feed"},
		"listInterviews.starting_after":   {"limit=1", "limit=1&status=" + c.status, "limit=1&campaign_id=" + c.id("campaign").String()},
	}
}

// hidden are values that find nothing even for their own client.
func (c client) hidden() map[string][]string {
	return map[string][]string{
		"id":                 {c.id("unusable interview").String(), c.id("ended interview").String()},
		"lane_id":            {"lane_id=" + c.id("hidden lane").String()},
		"listSynthesis.lane": {portal + "lane&lane=" + c.name + "-hidden"},
		"campaign":           {"campaign=" + c.name + "-ended"},
	}
}

const (
	portal = "surface=portal&type="
	window = "date_from=2026-01-01&date_to=2026-03-31"
)

// of are the values for an operation's parameter.
func of(values map[string][]string, operation, parameter string) []string {
	if found, special := values[operation+"."+parameter]; special {
		return found
	}
	return values[parameter]
}

// operation is one of the contract's that needs a key.
type operation struct {
	id, path   string
	parameters []string
	required   []string
	inPath     []string
}

func operations(t *testing.T) []operation {
	t.Helper()
	text := openapi.JSON()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	var all []operation
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Security != nil && len(*op.Security) == 0 {
				continue // public: it reads no client's data
			}
			if method != "GET" {
				t.Fatalf("%s %s: only GET is asked here; add what %s needs", method, path, method)
			}
			o := operation{id: op.OperationID, path: path}
			for _, p := range append(slices.Clone(item.Parameters), op.Parameters...) {
				switch {
				case p.Value.In == "path":
					o.inPath = append(o.inPath, p.Value.Name)
				case p.Value.In != "query":
					t.Fatalf("%s: its parameter %s is in %s, which is not asked here; add it", o.id, p.Value.Name, p.Value.In)
				default:
					o.parameters = append(o.parameters, p.Value.Name)
				}
				if p.Value.Required && p.Value.In == "query" {
					o.required = append(o.required, p.Value.Name)
				}
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	return all
}

// complete adds to a query what its operation requires.
func (o operation) complete(t *testing.T, c client, query string) string {
	t.Helper()
	given, err := url.ParseQuery(query)
	require.NoError(t, err)
	for _, name := range o.required {
		if !given.Has(name) {
			query += "&" + of(c.values(), o.id, name)[0]
		}
	}
	return query
}

// merged is one query with the parameters of both; the second's win.
func merged(t *testing.T, first, second string) string {
	t.Helper()
	a, errA := url.ParseQuery(first)
	c, errB := url.ParseQuery(second)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for name, value := range c {
		a[name] = value
	}
	return a.Encode()
}
