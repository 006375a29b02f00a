package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// issueKey issues a key of Acme's, which is imported first.
func issueKey(t *testing.T, env map[string]string, args ...string) (prefix string, expires *time.Time) {
	t.Helper()
	if got := command(t, env, acme, "import", "-"); got.code != exitDone {
		t.Fatalf("import: %+v", got)
	}
	got := command(t, env, "", append([]string{"keys", "issue", "--json", "--client", "acme", "--name", "notebook"}, args...)...)
	var key struct {
		Prefix    string
		ExpiresAt *time.Time `json:"expires_at"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &key); err != nil || got.code != exitDone {
		t.Fatalf("issue: %v in %+v", err, got)
	}
	return key.Prefix, key.ExpiresAt
}

func TestKeys_ExpireAfterASpan(t *testing.T) {
	t.Parallel()
	env := onDatabase(t)
	if _, at := issueKey(t, env, "--expires-in", "90d"); at == nil || time.Until(*at).Round(time.Hour) != 90*24*time.Hour {
		t.Errorf("90 days: %v", at)
	}
	if _, at := issueKey(t, env, "--expires-in", "12h"); at == nil || time.Until(*at).Round(time.Minute) != 12*time.Hour {
		t.Errorf("12 hours: %v", at)
	}
	for _, wrong := range []string{"--expires-in d", "--expires-in 0d", "--expires-in -1h", "--expires-in 400000d", "--expires-in 1d --expires-at 2099-01-01T00:00:00Z",
		"--expires-at 9999-12-31T23:59:59-10:00"} {
		got := command(t, env, "", append([]string{"keys", "issue", "--client", "acme", "--name", "x"}, strings.Fields(wrong)...)...)
		if got.code != exitUsage {
			t.Errorf("%s: %+v", wrong, got)
		}
	}
	if got := command(t, env, "", "keys", "issue", "--json", "--client", "acme", "--name", "x", "--expires-at", "9999-12-31T23:59:59Z"); got.code != exitDone {
		t.Errorf("the last moment: %+v", got)
	}
	if got := command(t, env, "", "keys", "list", "--json"); got.code != exitDone || strings.Count(got.stdout, `"prefix"`) != 3 {
		t.Errorf("keys list: %+v", got)
	}
}

// A span is counted from now, and may end later than JSON can say, too.
func TestParseExpiry_EndsBeforeTheYear10000(t *testing.T) {
	t.Parallel()
	now := time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC)
	if at, err := parseExpiry("", "11h", now); err != nil || at.Year() != 9999 {
		t.Errorf("%v, %v", at, err)
	}
	if at, err := parseExpiry("", "13h", now); err == nil || err.Error() != "a key must expire before the year 10000 in UTC, not at 10000-01-01T01:00:00Z" {
		t.Errorf("%v, %v", at, err)
	}
}

// A key that never works replaces none, and a key that ends twice is told when.
func TestKeys_OnlyKeysInForceAreRotated(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	env := map[string]string{"DATABASE_URL": d.OwnerURL}
	prefix, _ := issueKey(t, env, "--expires-in", "90d")
	for _, c := range []struct{ change, want string }{
		{"expires_at = '2020-01-01 00:00Z'", "expired at 2020-01-01T00:00:00Z: issue a new one"},
		{"expires_at = NULL, revoked_at = '2099-01-01 00:00Z'", "is already being replaced and ends at 2099-01-01T00:00:00Z: rotate its replacement, or issue a new one"},
		{"revoked_at = '2020-01-01 00:00Z'", "was revoked at 2020-01-01T00:00:00Z: issue a new one"},
	} {
		d.Exec(t, "UPDATE api_keys SET created_at = '2019-01-01 00:00Z', "+c.change+" WHERE prefix = $1", prefix)
		got := command(t, env, "", "keys", "rotate", prefix)
		if want := "clientintel: rotating the key: key " + prefix + " " + c.want + "\n"; got.code != exitFailed || got.stdout != "" || got.stderr != want {
			t.Errorf("%s: %+v, want %q", c.change, got, want)
		}
	}
	var keys int
	if d.Query(t, &keys, "SELECT count(*) FROM api_keys WHERE client_id IS NOT NULL"); keys != 1 {
		t.Errorf("%d keys, want 1", keys)
	}
}

// full is a file on a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A key that nobody could read is named, so that it can be revoked.
func TestKeys_WhatCouldNotBeShownIsNamed(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	env := map[string]string{"DATABASE_URL": d.OwnerURL}
	prefix, _ := issueKey(t, env)
	for _, args := range []string{
		"keys issue --client acme --name x", "keys issue --client acme --name x --json", "keys rotate --json " + prefix,
	} {
		var errs bytes.Buffer
		code := run(t.Context(), strings.Fields(args), environOf(env), strings.NewReader(""), full{}, &errs)
		var issued string
		d.Query(t, &issued, "SELECT prefix FROM api_keys ORDER BY created_at DESC LIMIT 1")
		want := "clientintel: key " + issued + " was issued and could not be shown: no space left on device: end it with 'clientintel keys revoke " + issued + "', and issue another\n"
		if code != exitFailed || !strings.HasSuffix(errs.String(), want) {
			t.Errorf("%s: exit %d, %s, want %s", args, code, errs.String(), want)
		}
	}
}

// What was done to keys is told with who did it, and no key's text.
func TestKeys_AreAudited(t *testing.T) {
	t.Parallel()
	env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	rotated := command(t, env, "", "keys", "rotate", prefix, "--scopes", "read:campaigns", "--json")
	var next struct {
		Prefix, Key string
		Scopes      []string
	}
	if err := json.Unmarshal([]byte(rotated.stdout), &next); err != nil || len(next.Scopes) != 1 || next.Scopes[0] != "read:campaigns" {
		t.Fatalf("rotate: %v in %+v", err, rotated)
	}
	if got := command(t, env, "", "keys", "revoke", next.Prefix); got.code != exitDone {
		t.Fatalf("revoke: %+v", got)
	}
	got := command(t, env, "", "keys", "audit", "--client", "acme", "--json")
	var audits []struct{ Action, Prefix, Login, Account, Detail string }
	if err := json.Unmarshal([]byte(got.stdout), &audits); err != nil || len(audits) != 3 || strings.Contains(got.stdout, next.Key) {
		t.Fatalf("audit: %v in %+v", err, got)
	}
	for i, want := range []struct{ action, prefix, detail string }{
		{"issue", prefix, "notebook"}, {"rotate", prefix, "to " + next.Prefix}, {"revoke", next.Prefix, "notebook"},
	} {
		if a := audits[i]; a.Action != want.action || a.Prefix != want.prefix || !strings.Contains(a.Detail, want.detail) || a.Login == "" || a.Account == "" {
			t.Errorf("audit %d: %+v, want %+v", i, a, want)
		}
	}
	if table := command(t, env, "", "keys", "audit"); !strings.Contains(table.stdout, "ACCOUNT") || !strings.Contains(table.stdout, "rotate") {
		t.Errorf("the table: %+v", table)
	}
}

// Log rows dated in the future are reported, and removed alone.
func TestKeys_FutureRowsAreReportedAndRemoved(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	env := map[string]string{"DATABASE_URL": d.OwnerURL}
	prefix, _ := issueKey(t, env)
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route)
		SELECT k.client_id, k.id, now() + n * interval '1 hour', n + 10, 'x' FROM api_keys AS k, generate_series(-3, 3) AS n WHERE k.client_id IS NOT NULL`)
	// Admit counts the hour up to the newest row: that alone.
	var listed []struct{ Remaining int }
	if got := command(t, env, "", "keys", "list", "--json"); json.Unmarshal([]byte(got.stdout), &listed) != nil || len(listed) != 1 || listed[0].Remaining != 599 {
		t.Errorf("remaining of %+v, want 599", got)
	}
	const reported = "has 3 log rows dated in the future"
	if got := command(t, env, "", "keys", "list"); !strings.Contains(got.stderr, reported) {
		t.Errorf("keys list: %+v", got)
	}
	if got := command(t, env, "", "doctor"); !strings.Contains(got.stdout, "3 rows of the log of requests are dated in the future, of 1 keys") {
		t.Errorf("doctor: %+v", got)
	}
	if got := command(t, env, "", "keys", "mend-window", prefix); got.code != exitDone || !strings.Contains(got.stderr, "3 log rows dated in the future removed") {
		t.Errorf("mend-window: %+v", got)
	}
	if got := command(t, env, "", "keys", "mend-window", prefix); !strings.Contains(got.stderr, " 0 log rows dated in the future removed") {
		t.Errorf("mend-window again: %+v", got)
	}
	var left int
	d.Query(t, &left, "SELECT count(*) FROM request_log")
	if got := command(t, env, "", "keys", "list"); left != 4 || strings.Contains(got.stderr, "future") {
		t.Errorf("%d rows are left, want 4; %+v", left, got)
	}
	if got := command(t, env, "", "keys", "audit"); !strings.Contains(got.stdout, "mend-window") {
		t.Errorf("audit: %+v", got)
	}
}

// The list shows what the limiter counts: all of the last hour, 401s included.
func TestKeys_ListCountsTheHour(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	env := map[string]string{"DATABASE_URL": d.OwnerURL}
	issueKey(t, env)
	// Eleven within the hour, one of them a 401, and five before it.
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route, status)
		SELECT k.client_id, k.id, now() - n * interval '5 minutes' - interval '30 seconds', 100 - n, 'listInterviews', CASE n WHEN 3 THEN 401 ELSE 200 END
		FROM api_keys AS k, generate_series(1, 16) AS n WHERE k.client_id IS NOT NULL`)
	var keys []struct {
		LastHour  int     `json:"requests_last_hour"`
		Remaining int     `json:"remaining"`
		LastUsed  *string `json:"last_used_at"`
	}
	got := command(t, env, "", "keys", "list", "--json")
	if err := json.Unmarshal([]byte(got.stdout), &keys); err != nil || len(keys) != 1 || keys[0].LastHour != 11 || keys[0].Remaining != 589 || keys[0].LastUsed == nil {
		t.Errorf("%v in %+v", err, got)
	}
}

// Names come from imports: none makes a line of its own, or writes over one.
func TestTable_NamesMakeNoLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	e := &environment{stdout: &out}
	if err := printList(e, []string{"a\nb\x1b[2K\r\u009bc\tactive"}, "NAME\tSTATE", func(row string) string { return row }); err != nil {
		t.Fatal(err)
	}
	if want := "NAME        STATE\na?b?[2K??c  active\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
