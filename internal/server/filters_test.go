package server_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// A filter that the contract has and no query looks at would return rows that were not
// asked for, and a basis of them. The filters are read from the contract.
func TestFilters_EachNarrowsItsList(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Campaign(t, "globex", apitest.Fields{"created_at": apitest.At("2026-03-01"), "updated_at": apitest.At("2026-03-01"), "launch_status": "live"})
	for range 3 {
		seed.Interview(t, "globex", apitest.Fields{"created_at": time.Now().Add(-time.Hour), "custom_extraction": map[string]string{"product_feedback": "it works"}})
	}
	seed.SynthesisDocument(t, "globex", apitest.Fields{"synthesis_type": "daily_feed", "feed_date": "2026-03-01"})
	doc, err := openapi.ValidationDocument()
	require.NoError(t, err)
	needs := map[string]string{searchPath: "q=works"} // with it alone there are rows
	filters := 0
	for path, item := range doc.Paths.Map() {
		if strings.Contains(path, "{") || strings.HasSuffix(path, ".json") {
			continue
		}
		key := srv.Issue(t, keyRequest("globex")).Key
		if rows, _ := countRows(t, srv.Get(t, path+"?"+needs[path], key)); rows == 0 {
			t.Errorf("%s has no rows to filter", path)
		}
		for _, p := range item.Get.Parameters {
			name, schema := p.Value.Name, p.Value.Schema.Value
			if p.Value.In != "query" || name == "limit" || name == "starting_after" || name == "q" || len(schema.Enum) > 0 {
				continue
			}
			value, with := "no-such-value", needs[path]
			switch {
			case name == "date_from" || name == "updated_since":
				value = "9999-01-01"
			case name == "date_to" || name == "day":
				value = "0001-01-01"
			case path == synthesisPath && (name == "lane" || name == "campaign"):
				with = "surface=portal&type=" + name
			}
			query := strings.TrimPrefix(with+"&"+name+"="+url.QueryEscape(value), "&")
			if rows, basis := countRows(t, srv.Get(t, path+"?"+query, key)); rows != 0 || basis > 0 {
				t.Errorf("%s?%s returns %d rows, and a basis of %d", path, query, rows, basis)
			}
			filters++
		}
	}
	if filters < 18 {
		t.Errorf("%d filters were read from the contract", filters)
	}
}

// countRows counts the rows of any response, and the ids of its basis.
func countRows(t *testing.T, r *apitest.Response) (rows, basis int) {
	t.Helper()
	var body struct {
		Data json.RawMessage
		Meta struct {
			Count int
			Basis struct {
				Count int `json:"source_count"`
			} `json:"measurement_basis"`
		}
	}
	r.WantStatus(t, 200).Decode(t, &body)
	return body.Meta.Count, body.Meta.Basis.Count
}
