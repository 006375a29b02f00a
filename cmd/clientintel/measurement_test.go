package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

const measured = `{"kind":"client","id":"11111111-1111-4111-8111-111111111111","slug":"acme","name":"Acme","measurement_mode":"canonical","measurement_contract_version":"canonical_measurement.v1"}
{"kind":"client","id":"22222222-2222-4222-8222-222222222222","slug":"globex","name":"Globex"}
{"kind":"interview","id":"31111111-1111-4111-8111-111111111111","client_id":"11111111-1111-4111-8111-111111111111","status":"completed","quality":"passed","created_at":"2026-01-01T00:00:00Z","reportable":true,"client_safe":true}
{"kind":"interview","id":"32222222-2222-4222-8222-222222222222","client_id":"22222222-2222-4222-8222-222222222222","status":"completed","quality":"passed","created_at":"2026-01-01T00:00:00Z","reportable":true,"client_safe":true}
`

var seconds = regexp.MustCompile(` [0-9]+\.[0-9] `)

func TestMeasurement_AuditRebuildCutOver(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	want := func(args string, code int, stdout, stderr string) {
		t.Helper()
		got := command(t, env, "", strings.Fields(args)...)
		table := seconds.ReplaceAllString(strings.Join(strings.Fields(got.stdout), " "), " S ")
		if got.code != code || !strings.Contains(table, stdout) || !strings.Contains(got.stderr, stderr) {
			t.Errorf("%s: exit %d\nstdout %s\nstderr %s\nwant %d, %q and %q", args, got.code, got.stdout, got.stderr, code, stdout, stderr)
		}
	}
	done(t, env, measured, "import", "-")
	want("measurement audit", exitDone, "CLIENT MODE STATE FACTS SECONDS RESULT acme canonical 1 1 S agrees", "")
	want("measurement audit --client GLOBEX", exitFailed, "", `clientintel: "GLOBEX": no client has this id or slug`)
	want("measurement audit --client 22222222-2222-4222-8222-222222222222", exitDone, "globex legacy 1 1 S agrees", "")

	d.Exec(t, "SELECT merge_measurement_changes(); UPDATE measurement_states SET members = 7")
	want("measurement audit", exitFailed, "acme canonical 7 1 S differs: the state counts 7 members, the facts 1",
		"1 of 1 clients need 'clientintel measurement rebuild --client CLIENT'")
	want("measurement cutover --client globex --contract-version canonical_measurement.v1", exitFailed, "",
		"globex stays legacy: the state counts 7 members, the facts 1: run 'clientintel measurement rebuild --client globex' first")
	d.Exec(t, "SELECT merge_measurement_changes(); UPDATE measurement_states SET members = 1")
	want("measurement audit --client acme", exitFailed, "acme canonical 1 1 S agrees, but marked broken since 20", "")
	d.Exec(t, "SELECT merge_measurement_changes(); UPDATE measurement_states SET members = 7")
	want("measurement rebuild --client acme", exitDone, "", "acme: the count was off by 6 and is now 1\nacme: the mark is cleared; requests are answered again\n")
	want("measurement rebuild --all", exitDone, "", "globex: the count was off by 6 and is now 1\n")
	want("measurement cutover --client globex --contract-version canonical_measurement.v1", exitDone, "",
		"globex is canonical (canonical_measurement.v1): 1 interviews, proven\n")

	var audits []map[string]any
	if decoded(t, env, &audits, "measurement", "audit"); len(audits) != 2 {
		t.Fatalf("%d audits, want 2", len(audits))
	}
	for _, a := range audits {
		if a["members"] != 1.0 || a["found_members"] != 1.0 || a["fault"] != nil || a["broken_at"] != nil ||
			a["measurement_mode"] != "canonical" || a["measurement_contract_version"] != "canonical_measurement.v1" {
			t.Errorf("the audit says %v", a)
		}
	}
	want("measurement cutover --client globex --legacy", exitDone, "", "globex is legacy: its responses carry no totals\n")
	want("measurement audit --json --client globex", exitDone, `"measurement_mode": "legacy", "measurement_contract_version": null`, "")
}

func TestVerify_Prints(t *testing.T) {
	t.Parallel()
	const legacy = `{"data":[],"meta":{"client_id":"11111111-1111-4111-8111-111111111111","count":%,"has_more":false,"next_cursor":null,"measurement_mode":"legacy"}}`
	right, wrong := strings.Replace(legacy, "%", "0", 1), strings.Replace(legacy, "%", "1", 1)
	got := command(t, nil, wrong+`{"error":"rate_limited","code":"rate_limited"}`, "verify", "-")
	if got.code != exitFailed || !strings.Contains(got.stdout, "  FAILED   count: 1 is stated, 0 is computed\n") ||
		!strings.HasSuffix(got.stdout, "responses: 2, walks: 0; checks passed: 2, failed: 1, skipped: 1\n") {
		t.Errorf("a wrong count: %+v", got)
	}
	got = command(t, nil, wrong+right, "verify", "-", "--json")
	var printed struct {
		Reports                  []struct{ Of, What string }
		Responses, Walks, Failed int
		Passed, Skipped          int
	}
	if err := json.Unmarshal([]byte(got.stdout), &printed); err != nil || got.code != exitFailed || len(printed.Reports) != 2 || printed.Failed != 1 || printed.Passed != 5 {
		t.Errorf("exit %d, %v: %s", got.code, err, got.stdout)
	}
	if got := command(t, nil, "", "verify", "/does/not/exist"); got.code != exitFailed || !strings.Contains(got.stderr, "/does/not/exist: no such file or directory") {
		t.Errorf("a missing file: exit %d, %s", got.code, got.stderr)
	}
}
