package conformance_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/conformance"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/internal/verify"
)

// demo is a server with the demo's two brands.
func demo(t *testing.T, change ...func(*config.Server)) *apitest.Server {
	t.Helper()
	srv, _ := apitest.Start(t, change...)
	var file bytes.Buffer
	require.NoError(t, demodata.Demo(&file, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)))
	conn, err := pgx.Connect(context.Background(), srv.Database.OwnerURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", &file))
	require.NoError(t, err)
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
	require.NoError(t, err, base)
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
