package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

const (
	columnsCampaign  = "abcdefab-cdef-4abc-8def-abcdefabcde0"
	columnsInterview = "abcdefab-cdef-4abc-8def-abcdefabcde1"
)

// The routes whose rows leave the generated types, and the detail, whose row is
// scanned by name: their queries, by the path that sends each.
var queriesByPath = map[string]string{
	"/api/client/v1/interviews?limit=2":                                         db.ListInterviews,
	"/api/client/v1/interviews?limit=2&status=completed":                        db.ListInterviewsWithStatus,
	"/api/client/v1/interviews?limit=2&campaign_id=" + columnsCampaign:          db.ListInterviewsOfCampaign,
	"/api/client/v1/interviews/" + columnsInterview:                             db.GetInterview,
	"/api/client/v1/analytics/interviews?date_from=2026-01-01":                  db.ListDataPoints,
	"/api/client/v1/analytics/interviews?date_from=2026-01-01&campaign=columns": db.ListDataPointsOfCampaign,
}

// columnsOf are the names in a query's select list.
func columnsOf(sql string) []string {
	list, _, _ := strings.Cut(sql, "\nFROM ")
	_, list, _ = strings.Cut(list, "SELECT")
	columns := strings.Split(list, ",")
	for i, column := range columns {
		columns[i] = column[strings.LastIndexAny(column, ". ")+1:]
	}
	return columns
}

// A column is served as its own field or not at all. However a query's columns come
// to differ from those that the code expects, the response is a 500 and the log names
// the column: in binary and in text, with every scope and with none.
func TestColumns_AreReadByNameOrNotAtAll(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, "acme", apitest.Fields{"id": columnsCampaign, "slug": "columns"})
	for _, fields := range []apitest.Fields{{"id": columnsInterview}, {}, {}} {
		fields["campaign_id"], fields["status"], fields["created_at"] = campaign, "completed", apitest.At("2026-03-01")
		seed.Interview(t, "acme", fields)
	}
	replace := func(column string, with ...string) func([]string) []string {
		return func(columns []string) []string {
			at := slices.Index(columns, column)
			return slices.Replace(columns, at, at+1, with...)
		}
	}
	for name, c := range map[string]struct {
		change func([]string) []string
		named  string // by the log; none: the answer is the same
	}{
		"permuted":            {func(columns []string) []string { slices.Reverse(columns); return columns }, ""},
		"renamed":             {replace("nps_score", "nps_score AS score"), "score"},
		"retyped":             {replace("nps_score", "nps_score::text AS nps_score"), "nps_score"},
		"added in the middle": {replace("nps_score", "0.5::float8 AS effort", "nps_score"), "effort"},
		"added at the end":    {func(columns []string) []string { return append(columns, "'low' AS effort") }, "effort"},
		"removed":             {replace("nps_score"), "nps_score"},
		"doubled":             {replace("nps_score", "nps_score", "nps_score"), "nps_score"},
		"in another's place":  {replace("nps_score", "campaign_id"), "campaign_id"},
		"by another's name":   {replace("nps_score", "campaign_id AS nps_score"), "nps_score"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, mode := range []string{"cache_statement", "simple_protocol"} {
				changed := srv.WithQueriesRewritten(t, "&default_query_exec_mode="+mode, func(name, sql string) string {
					for _, query := range queriesByPath {
						if !strings.HasPrefix(query, "-- name: "+name+" ") {
							continue
						}
						list := "SELECT " + strings.Join(c.change(columnsOf(query)), ", ")
						// A call of a worker's function must stay its own statement.
						if call, isCall := strings.CutPrefix(sql, strings.SplitAfter(query, "\n")[0]+"SELECT *"); isCall {
							return list + call
						}
						return list + " FROM (\n" + sql + "\n) AS rewritten"
					}
					return sql
				})
				for path, query := range queriesByPath {
					for _, key := range []string{srv.KeyFor(t, "acme"), srv.KeyFor(t, "acme", auth.ReadInterviewsMetadata)} {
						logged := len(changed.Logs.String())
						answer := changed.Get(t, path, key)
						// pgx reads a number of the detail from its text too.
						if c.named == "" || query == db.GetInterview && name == "retyped" && answer.Status == http.StatusOK {
							if want := srv.Get(t, path, key); string(answer.Body) != string(want.Body) {
								t.Errorf("%s, %s:\n got %s\nwant %s", mode, path, answer.Body, want.Body)
							}
							continue
						}
						answer.WantError(t, http.StatusInternalServerError, "internal_error", "internal error")
						named := func() bool { return strings.Contains(asField(changed.Logs.String()[logged:]), asField(c.named)) }
						for end := time.Now().Add(10 * time.Second); !named() && time.Now().Before(end); {
							time.Sleep(time.Millisecond) // the log comes after the answer
						}
						if !named() {
							t.Errorf("%s, %s: the log does not name %s:\n%s", mode, path, c.named, changed.Logs.String()[logged:])
						}
					}
				}
			}
		})
	}
}

// asField spells a column as pgx does a struct's field.
func asField(column string) string { return strings.ToLower(strings.ReplaceAll(column, "_", "")) }
