package importer

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/require"
)

// One record of each kind, and both clients with the same slugs.
var everything = []string{
	`{"kind":"client","id":"` + acme + `","slug":"acme","name":"Acme"}`,
	`{"kind":"client","id":"` + globex + `","slug":"globex","name":"Globex","measurement_mode":"canonical","measurement_contract_version":"canonical_measurement.v1"}`,
	`{"kind":"campaign","id":"22222222-0000-4000-8000-000000000001","client_id":"` + acme + `","slug":"onboarding","launch_status":"live","key_questions":["Why?","How?"]}`,
	`{"kind":"campaign","id":"22222222-0000-4000-8000-000000000002","client_id":"` + acme + `","slug":"ended","launch_status":"ended","active":true,"launched_at":"2026-01-01T00:00:00+02:00"}`,
	`{"kind":"campaign","id":"22222222-0000-4000-8000-000000000003","client_id":"` + globex + `","slug":"onboarding","launch_status":"live","active":false,"key_questions":[{"id":"a","question":"Why?","hint":1.50}]}`,
	`{"kind":"lane","id":"55555555-0000-4000-8000-000000000001","client_id":"` + acme + `","slug":"retention","display_name":"Retention","visible":true}`,
	`{"kind":"lane","id":"55555555-0000-4000-8000-000000000002","client_id":"` + globex + `","slug":"retention","visible":false}`,
	interview(`,"conversation_goal_id":"22222222-0000-4000-8000-000000000001","reportable":true,"client_safe":true,"nps_score":9.5,"transcript":[{"t":"\u00e9\n"}],"custom_extraction":{"n":1.500,"big":12345678901234567890.000,"a":2}`),
	`{"kind":"interview","id":"11111111-0000-4000-8000-000000000002","client_id":"` + acme + `","conversation_goal_id":"22222222-0000-4000-8000-000000000002","status":"analyzed","quality":"passed","reportable":true,"client_safe":true,"created_at":"2026-03-01T09:30:00.123456789+05:30"}`,
	`{"kind":"interview","id":"11111111-0000-4000-8000-000000000003","client_id":"` + globex + `","status":"completed","quality":"passed","reportable":true,"client_safe":true,"engagement":"engaged","duration_seconds":60,"created_at":"2026-03-01T09:30:00Z"}`,
	`{"kind":"interview","id":"11111111-0000-4000-8000-000000000004","client_id":"` + globex + `","conversation_goal_id":"22222222-0000-4000-8000-000000000003","status":"completed","quality":"passed","reportable":true,"client_safe":true,"created_at":"2026-03-01T09:30:00Z"}`,
	`{"kind":"synthesis_document","id":"66666666-0000-4000-8000-000000000001","client_id":"` + acme + `","synthesis_type":"lane","lane_id":"55555555-0000-4000-8000-000000000001","conversation_goal_id":"22222222-0000-4000-8000-000000000001","document":{"h":"x","share":0.340},"contract_version":"synthesis.v3","status":"published","created_at":"2026-03-01T09:30:00Z","updated_at":"2026-03-01T09:30:00Z","feed_date":"2024-02-29"}`,
	portal(`,"lane_id":"55555555-0000-4000-8000-000000000001","conversation_goal_id":"22222222-0000-4000-8000-000000000001","feed_date":"2026-03-01","published_at":"2026-03-01T09:30:00Z","body":{"schema":"home.v1"},"measurement_snapshot_id":"44444444-0000-4000-8000-000000000001"`),
	snapshot(`,"scope_hash":"` + strings.Repeat("0a", 32) + `","membership_hash":"` + strings.Repeat("f9", 32) + `","source_interview_ids":["11111111-0000-4000-8000-000000000002","11111111-0000-4000-8000-000000000001"],"source_count":7`),
}

// Any order of lines gives the same database, into an empty one as into one
// that holds the same file already.
func TestAnyOrderOfLinesIsTheSame(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	want := d.dump(t)
	d.want(t, "count(*)", "interviews WHERE usable", "2")
	r := rand.New(rand.NewPCG(1, 2))
	var undo []string
	for _, line := range everything {
		undo = append(undo, deletionOf(t, line))
	}
	for n := range 16 {
		lines := slices.Clone(everything)
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		if n%2 == 0 {
			r.Shuffle(len(undo), func(i, j int) { undo[i], undo[j] = undo[j], undo[i] })
			d.mustImport(t, undo...)
			d.want(t, "(SELECT count(*) FROM clients) + (SELECT count(*) FROM interviews) + (SELECT count(*) FROM measurement_changes)", "(SELECT) AS once", "0")
		}
		d.mustImport(t, lines...)
		if diff := difference(want, d.dump(t)); diff != "" {
			t.Fatalf("another order of lines, another database (-first +shuffled):\n%s\n%s", diff, strings.Join(lines, "\n"))
		}
	}
}

// deletionOf is the line that deletes what the line writes.
func deletionOf(t *testing.T, line string) string {
	t.Helper()
	var found struct {
		Kind     string
		ID       string
		Snapshot string `json:"snapshot_id"`
		Client   string `json:"client_id"`
	}
	require.NoError(t, json.Unmarshal([]byte(line), &found))
	if found.Kind == "client" {
		return `{"kind":"client","op":"delete","id":"` + found.ID + `"}`
	}
	return `{"op":"delete","kind":"` + found.Kind + `","client_id":"` + found.Client + `","id":"` + strings.ToUpper(found.ID+found.Snapshot) + `"}`
}

func TestEveryFieldIsStoredAsWritten(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	for _, c := range []struct{ expression, from, want string }{
		{"custom_extraction", "interviews WHERE nps_score = 9.5", `{"a": 2, "n": 1.500, "big": 12345678901234567890.000}`},
		{"transcript", "interviews WHERE nps_score = 9.5", `[{"t": "é\n"}]`},
		{"created_at AT TIME ZONE 'UTC'", "interviews WHERE status = 'analyzed'", "2026-03-01 04:00:00.123456"},
		{"campaign_live", "interviews WHERE status = 'analyzed'", "false"},
		{"raw_extraction", "interviews WHERE nps_score = 9.5", "null"},
		{"key_questions", "campaigns WHERE slug = 'onboarding' AND live", `["Why?", "How?"]`},
		{"key_questions", "campaigns WHERE NOT active", `[{"id": "a", "hint": 1.50, "question": "Why?"}]`},
		{"launched_at AT TIME ZONE 'UTC'", "campaigns WHERE slug = 'ended'", "2025-12-31 22:00:00"},
		{"document", "synthesis_documents", `{"h": "x", "share": 0.340}`},
		{"feed_date", "synthesis_documents", "2024-02-29"},
		{"source_interview_ids", "measurement_snapshots", "{11111111-0000-4000-8000-000000000002,11111111-0000-4000-8000-000000000001}"},
		{"source_count", "measurement_snapshots", "7"},
		{"visible", "lanes WHERE display_name = 'Retention'", "true"},
		{"measurement_mode || measurement_contract_version", "clients WHERE slug = 'globex'", "canonicalcanonical_measurement.v1"},
	} {
		d.want(t, c.expression, c.from, c.want)
	}
}

func TestRemarkableSpellingsAreAccepted(t *testing.T) {
	t.Parallel()
	d := setup(t)
	bom := "\xef\xbb\xbf"
	file := bom + client("") + "\r\n  \r\n\t\n" +
		strings.Replace(interview(`,"best_quote":"\ud83d\ude00\/\"","nps_score":-0.0,"duration_seconds":1e2,"transcript":[],"interview_type":"","conversation_goal_id":null`),
			"11111111-0000-4000-8000-000000000001", "\\u0041BCDEF00-0000-4000-8000-000000000001", 1) +
		"\n \n" + strings.Replace(interview(``), "2026-03-01T09:30:00Z", "0001-01-01t00:00:00.9999999z", 1) +
		"\n" + strings.NewReplacer("2026-03-01T09:30:00Z", "9999-12-31T23:59:59.999999999Z", "000001\",\"client", "000009\",\"client").Replace(interview(``))
	sum := d.mustImport(t, file)
	if want := (Summary{Lines: 4, Bytes: int64(len(file)), Elapsed: sum.Elapsed, Kinds: []KindSummary{{Kind: "client", Added: 1}, {Kind: "interview", Added: 3}}}); !reflect.DeepEqual(sum, want) {
		t.Errorf("got %+v, want %+v", sum, want)
	}
	from := "interviews WHERE duration_seconds = 100"
	for expression, want := range map[string]string{
		"id": "abcdef00-0000-4000-8000-000000000001", "best_quote": `😀/"`, "nps_score": "0", "transcript": "[]", "interview_type": "", "campaign_id": "null",
	} {
		d.want(t, expression, from, want)
	}
	d.want(t, "string_agg((created_at AT TIME ZONE 'UTC')::text, ' ' ORDER BY created_at)", "interviews WHERE duration_seconds IS NULL", "0001-01-01 00:00:00.999999 9999-12-31 23:59:59.999999")
}

// What the demo and the benchmarks write goes in, more than one batch of it,
// and again without a row being touched.
func TestGeneratedDataIsImportedTwice(t *testing.T) {
	t.Parallel()
	d := setup(t)
	var file bytes.Buffer
	require.NoError(t, demodata.Demo(&file, time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)))
	sum, err := corpus.Generate(&file, corpus.Options{
		Seed: 7,
		Clients: []corpus.ClientOptions{
			{Slug: "first", Mode: corpus.ModeCanonical, Interviews: 12000, Campaigns: 9, Synthesis: 300},
			{Slug: "second", Interviews: 500, Campaigns: 4, Synthesis: 20},
		},
		From: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	require.NoError(t, err)
	lines := strings.Split(file.String(), "\n")
	d.mustImport(t, lines...)
	if got, want := d.get(t, "sum(members)", "measurement_changes WHERE client_id = '"+sum.Clients[0].ID.String()+"'"), sum.Clients[0].Usable; got != strconv.Itoa(want) {
		t.Errorf("%s members, want %d", got, want)
	}
	// The versions of the rows: a row that was written again has another.
	const versions = "SELECT format('%s %s %s', id, xmin, ctid) FROM interviews UNION ALL SELECT format('%s %s', id, xmin) FROM campaigns UNION ALL SELECT format('%s %s', id, xmin) FROM synthesis_documents"
	before := slices.Sorted(slices.Values(d.strings(t, versions)))
	slices.Reverse(lines)
	d.mustImport(t, lines...)
	if diff := difference(before, slices.Sorted(slices.Values(d.strings(t, versions)))); diff != "" {
		t.Errorf("importing the same file again wrote rows:\n%s", diff[:min(len(diff), 2000)])
	}
}
