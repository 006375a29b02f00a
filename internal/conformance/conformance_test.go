package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/conformance"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/verify"
)

// demo is a server with the demo's two brands.
func demo(t *testing.T, change ...func(*config.Server)) *apitest.Server {
	t.Helper()
	srv, _ := apitest.Start(t, change...)
	var file bytes.Buffer
	if err := demodata.Demo(&file, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(context.Background(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", &file)); err != nil {
		t.Fatal(err)
	}
	return srv
}

func fresh(t *testing.T, srv *apitest.Server, client string, scopes ...auth.Scope) string {
	t.Helper()
	return srv.Issue(t, apikey.Request{Client: client, Name: "conformance", Scopes: scopes}).Key
}

func run(t *testing.T, base string, requests int, keys ...string) conformance.Report {
	t.Helper()
	report, err := conformance.Run(t.Context(), conformance.Options{
		BaseURL: base, Keys: keys, MaxRequests: requests, Show: func(conformance.Check) {},
	})
	if err != nil {
		t.Fatalf("asking %s: %v", base, err)
	}
	return report
}

// named lists the checks with an outcome.
func named(r conformance.Report, o verify.Outcome) []string {
	var names []string
	for _, c := range r.Checks {
		if c.Outcome == o {
			names = append(names, strings.TrimSpace(c.Name+" "+c.Key))
		}
	}
	return names
}

// wantFailure fails unless the check failed, and says so with the detail.
func wantFailure(t *testing.T, r conformance.Report, check, detail string) {
	t.Helper()
	for _, c := range r.Checks {
		if strings.TrimSpace(c.Name+" "+c.Key) == check {
			if c.Outcome != verify.Failed || !strings.Contains(c.Detail, detail) {
				t.Errorf("%s %s: %s, want a failure with %q", check, c.Outcome, c.Detail, detail)
			}
			return
		}
	}
	t.Errorf("there is no check %s", check)
}

func wantNoFailure(t *testing.T, r conformance.Report) {
	t.Helper()
	for _, c := range r.Checks {
		if c.Outcome == verify.Failed {
			t.Errorf("%s %s fails: %s", c.Name, c.Key, c.Detail)
		}
	}
}

// The service keeps all that is asked for, whatever the measurement and scopes.
func TestRun_ThisServerConforms(t *testing.T) {
	t.Parallel()
	srv := demo(t)
	report := run(t, srv.URL, 600,
		fresh(t, srv, demodata.BrightlarderSlug, auth.All()...), fresh(t, srv, demodata.AlderpeakSlug, auth.All()...),
		fresh(t, srv, demodata.BrightlarderSlug), fresh(t, srv, demodata.AlderpeakSlug, auth.ReadCampaigns),
		fresh(t, srv, demodata.BrightlarderSlug, auth.ReadTranscripts, auth.ReadCustomExtraction, auth.ReadInterviewsMetadata))
	wantNoFailure(t, report)
	if report.Passed < 140 {
		t.Errorf("%d checks passed with %d requests; skipped: %q", report.Passed, report.Requests, named(report, verify.Skipped))
	}
	// With every scope there is nothing that could not be asked.
	for _, name := range named(report, verify.Skipped) {
		if strings.HasSuffix(name, "key 1") || strings.HasSuffix(name, "key 2") && !strings.Contains(name, "walks/portal") {
			t.Errorf("%s is skipped", name)
		}
	}
}

// A run that may send little says what it did not ask, and sends no more.
func TestRun_TheBudgetIsKept(t *testing.T) {
	t.Parallel()
	srv := demo(t)
	for _, budget := range []int{1, 7, 40} {
		key := fresh(t, srv, demodata.BrightlarderSlug, auth.All()...)
		report := run(t, srv.URL, budget, key)
		if report.Requests != budget || report.Failed > 0 {
			t.Errorf("budget %d: %d requests, failed: %q", budget, report.Requests, named(report, verify.Failed))
		}
		if !slices.Contains(named(report, verify.Skipped), "walks/interviews/page_size_1 key 1") {
			t.Errorf("budget %d: the walks are not reported as skipped", budget)
		}
	}
	// The server counted them too.
	var counted, most int
	srv.Database.Query(t, &counted, "SELECT count(*) FROM request_log")
	if most = 1 + 7 + 40; counted > most {
		t.Errorf("%d requests were counted, of %d that may be sent", counted, most)
	}
}

func TestRun_AUsedUpKeyIsNoFailure(t *testing.T) {
	t.Parallel()
	srv := demo(t)
	issued := srv.Issue(t, apikey.Request{Client: demodata.BrightlarderSlug, Name: "busy", Scopes: auth.All()})
	srv.Database.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT $1, $2, now() - interval '1 minute', n, 'listInterviews', 200 FROM generate_series(1, 600) AS n`, issued.ClientID, issued.ID)
	report := run(t, srv.URL, 300, issued.Key)
	if report.Failed > 0 {
		t.Errorf("failed: %q in %+v", named(report, verify.Failed), report.Checks)
	}
	if !slices.Contains(named(report, verify.Skipped), "scopes/interviews key 1") {
		t.Errorf("skipped: %q", named(report, verify.Skipped))
	}
}

func TestRun_AWrongKeyIsReported(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	key := fresh(t, srv, "acme")
	report := run(t, srv.URL, 100, key[:len(key)-1]+"?")
	wantFailure(t, report, "scopes/interviews key 1", "invalid_api_key")
}

// What import accepts and looks odd is no fault of the server: bodies that are the
// same or have the same text as their id, and a live campaign with the slug of interviews without one, once with
// their label too.
func TestRun_OddRecordsAreNoFault(t *testing.T) {
	t.Parallel()
	srv := demo(t, func(c *config.Server) { c.ResponseValidation = config.Off })
	brand, other := demodata.Brands()[0], demodata.Brands()[1]
	recordOf := func(client uuid.UUID, kind string, n int, fields string) string {
		return fmt.Sprintf(`{"kind":%q,"client_id":%q,"id":"99999999-0000-4000-8000-%012d",%s}`, kind, client, n, fields)
	}
	record := func(kind string, n int, fields string) string { return recordOf(brand.ID, kind, n, fields) }
	body := `"type":"daily_feed","status":"published","body":{"schema":"x"}`
	ownID := `"type":"daily_feed","status":"published","body":{"schema":"x","id":"Monday","n":%d}`
	interview := `"created_at":"2026-11-19T12:00:00Z","status":"completed","quality":"passed","reportable":true,"client_safe":true`
	lines := []string{
		record("portal_document", 1, body), record("portal_document", 2, body), record("portal_document", 3, body),
		record("portal_document", 12, fmt.Sprintf(ownID, 1)), record("portal_document", 13, fmt.Sprintf(ownID, 2)),
		record("campaign", 4, `"slug":"uncategorized","display_name":"The rest","launch_status":"live","created_at":"0001-01-01T00:00:00Z"`),
		record("campaign", 5, `"slug":"undated"`),
		record("interview", 6, interview), record("interview", 7, interview+`,"conversation_goal_id":"99999999-0000-4000-8000-000000000004"`),
		recordOf(other.ID, "campaign", 8, `"slug":"uncategorized","display_name":"Uncategorized","launch_status":"live"`),
		recordOf(other.ID, "interview", 9, interview), recordOf(other.ID, "interview", 10, interview),
		recordOf(other.ID, "interview", 11, interview+`,"conversation_goal_id":"99999999-0000-4000-8000-000000000008"`),
	}
	conn, err := pgx.Connect(context.Background(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", strings.NewReader(strings.Join(lines, "\n")))); err != nil {
		t.Fatal(err)
	}
	report := run(t, srv.URL, 400, fresh(t, srv, brand.Slug, auth.All()...), fresh(t, srv, other.Slug, auth.ReadInterviewsMetadata))
	wantNoFailure(t, report)
}
