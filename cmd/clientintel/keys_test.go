package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// issueKey issues a key of Acme's, which is imported first.
func issueKey(t *testing.T, env map[string]string, args ...string) (prefix string, expires *time.Time) {
	t.Helper()
	done(t, env, acme, "import", "-")
	var key struct {
		Prefix    string
		ExpiresAt *time.Time `json:"expires_at"`
	}
	decoded(t, env, &key, append([]string{"keys", "issue", "--client", "acme", "--name", "notebook"}, args...)...)
	return key.Prefix, key.ExpiresAt
}

func TestKeys_ExpireAfterASpan(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	if _, at := issueKey(t, env, "--expires-in", "90d"); at == nil || time.Until(*at).Round(time.Hour) != 90*24*time.Hour {
		t.Errorf("90 days: %v", at)
	}
	if _, at := issueKey(t, env, "--expires-in", "12h"); at == nil || time.Until(*at).Round(time.Minute) != 12*time.Hour {
		t.Errorf("12 hours: %v", at)
	}
	for _, wrong := range []string{"--expires-in d", "--expires-in 0d", "--expires-in -1h", "--expires-in 400000d", "--expires-in 1d --expires-at 2099-01-01T00:00:00Z",
		"--expires-at 9999-12-31T23:59:59-10:00"} {
		got := command(t, env, "", append([]string{"keys", "issue", "--client", "acme", "--name", "x"}, strings.Fields(wrong)...)...)
		check.Equal(t, got.code, exitUsage, wrong, got)
	}
	done(t, env, "", "keys", "issue", "--json", "--client", "acme", "--name", "x", "--expires-at", "9999-12-31T23:59:59Z")
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
	d, env := onDatabase(t)
	prefix, _ := issueKey(t, env, "--expires-in", "90d")
	for _, c := range []struct{ change, want string }{
		{"expires_at = '2020-01-01 00:00Z'", "expired at 2020-01-01T00:00:00Z: issue a new one"},
		{"expires_at = NULL, revoked_at = '2099-01-01 00:00Z'", "is already being replaced and ends at 2099-01-01T00:00:00Z: rotate its replacement, or issue a new one"},
		{"revoked_at = '2020-01-01 00:00Z'", "was revoked at 2020-01-01T00:00:00Z: issue a new one"},
	} {
		d.Exec(t, "UPDATE api_keys SET created_at = '2019-01-01 00:00Z', "+c.change+" WHERE prefix = $1", prefix)
		got := command(t, env, "", "keys", "rotate", prefix)
		if want := "clientintel: key " + prefix + " " + c.want + "\n"; got.code != exitFailed || got.stdout != "" || got.stderr != want {
			t.Errorf("%s: %+v, want %q", c.change, got, want)
		}
	}
	keys := dbtest.Value[int](t, d, "SELECT count(*) FROM api_keys WHERE client_id IS NOT NULL")
	check.Equal(t, keys, 1, "keys")
}

// full is a file on a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// A key that nobody could read is revoked, and the one that it was to replace works on.
func TestKeys_WhatCouldNotBeShownIsRevoked(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	for _, args := range []string{
		"keys issue --client acme --name x", "keys issue --client acme --name x --json", "keys rotate --json " + prefix, "keys rotate --grace 1h " + prefix,
	} {
		var errs bytes.Buffer
		code := run(t.Context(), strings.Fields(args), environOf(env), strings.NewReader(""), full{}, &errs)
		issued := dbtest.Value[string](t, d, "SELECT prefix FROM api_keys ORDER BY created_at DESC LIMIT 1")
		want := "clientintel: key " + issued + " is revoked, as it could not be shown: no space left on device\n"
		if strings.Contains(args, "rotate") {
			want = "clientintel: key " + prefix + " stays in force, as its replacement could not be shown: no space left on device\n"
		}
		if code != exitFailed || !strings.HasSuffix(errs.String(), want) {
			t.Errorf("%s: exit %d, %s, want %s", args, code, errs.String(), want)
		}
	}
	check.Equal(t, dbtest.Value[string](t, d, "SELECT string_agg(prefix, ',') FROM api_keys WHERE client_id IS NOT NULL AND revoked_at IS NULL"), prefix, "in force")
}

// A key is named by itself too, is never printed or stored, and is found for its client alone.
func TestKeys_ALeakedKeyIsRevoked(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	issueKey(t, env)
	done(t, env, strings.ReplaceAll(strings.ReplaceAll(acme, "-8111-", "-8222-"), "acme", "globex"), "import", "-")
	issue := func() string {
		return strings.TrimSpace(command(t, env, "", "keys", "issue", "--client", "acme", "--name", "leaked").stdout)
	}
	for _, how := range []struct{ args, stdin string }{{"revoke KEY", ""}, {"revoke -", "KEY\n"}, {"revoke PREFIX", ""}, {"rotate KEY", ""}} {
		key := issue()
		with := strings.NewReplacer("KEY", key, "PREFIX", key[4:16])
		args := append(strings.Fields("keys "+with.Replace(how.args)), "--reason", "found "+key+" in a repository", "--actor", "portal:ines")
		stdin := with.Replace(how.stdin)
		if got := command(t, env, stdin, append(args, "--client", "globex")...); got.code != exitFailed || got.stdout != "" ||
			got.stderr != "clientintel: the key is not found: name it by its id, its prefix or all of it\n" {
			t.Errorf("%s for another client: %+v", how.args, got)
		}
		got := command(t, env, stdin, append(args, "--client", "acme")...)
		if got.code != exitDone || strings.Contains(got.stderr+got.stdout, key) {
			t.Errorf("%s: %+v", how.args, got)
		}
		var revoked bool
		if d.Query(t, &revoked, "SELECT revoked_at <= now() FROM api_keys WHERE prefix = $1", key[4:16]); !revoked {
			t.Errorf("%s: not revoked", how.args)
		}
		for _, wrong := range []string{"keys revoke " + key + " " + key, "keys " + key, key, "keys revoke --all " + key, "keys list --expiring " + key} {
			if got := command(t, env, "", strings.Fields(wrong)...); got.code != exitUsage || strings.Contains(got.stderr, key) {
				t.Errorf("wrong usage: %+v", got)
			}
		}
		trail := dbtest.Value[string](t, d, "SELECT string_agg(a::text, '\n') FROM key_audits AS a")
		if strings.Contains(trail, key) || !strings.Contains(trail, "portal:ines") || !strings.Contains(trail, "found cik_"+key[4:16]+"_… in a repository") {
			t.Errorf("the audit trail: %s", trail)
		}
	}
	other := command(t, env, "", "keys", "issue", "--client", "globex", "--name", "other").stdout
	if got := command(t, env, "", "keys", "revoke", "--client", "acme", "--all"); got.code != exitDone || !strings.HasSuffix(got.stderr, "2 keys of acme were in force, and none is now\n") {
		t.Errorf("revoke --all: %+v", got)
	}
	check.Equal(t, dbtest.Value[string](t, d, "SELECT string_agg(prefix, ',') FROM api_keys WHERE revoked_at IS NULL AND client_id IS NOT NULL"), other[4:16], "in force")
}

// A client's keys have its allowed scopes and no others, and are 500 at most, also where two
// are issued at once.
func TestKeys_AClientIsHeldToItsScopesAndNumber(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	held := strings.Replace(acme, `"slug"`, `"allowed_scopes":["read:campaigns","read:synthesis"],"slug"`, 1)
	for _, line := range []string{held, acme} { // a line that says nothing of them leaves them
		done(t, env, line, "import", "-")
		const want = "keys of client acme may not have the scope read:interviews_metadata, only read:campaigns, read:synthesis: choose from those, or import the client with other allowed_scopes\n"
		for _, args := range []string{"issue --client acme --name x", "rotate " + prefix} {
			if got := command(t, env, "", strings.Fields("keys "+args)...); got.code != exitFailed || !strings.HasSuffix(got.stderr, want) {
				t.Errorf("%s: %+v, want %s", args, got, want)
			}
		}
	}
	done(t, env, "", "keys", "rotate", prefix, "--scopes", "read:campaigns")
	done(t, env, strings.Replace(acme, `"slug"`, `"allowed_scopes":null,"slug"`, 1), "import", "-")
	d.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
		SELECT 'p' || n, gen_random_uuid(), c.id, 'x', sha256('x'), '{}' FROM clients AS c, generate_series(1, 498) AS n`)
	codes := make(chan int)
	for range 2 {
		go func() { codes <- command(t, env, "", "keys", "issue", "--client", "acme", "--name", "x").code }()
	}
	if a, b := <-codes, <-codes; a+b != exitDone+exitFailed {
		t.Errorf("two at once: exit codes %d and %d, want one of each", a, b)
	}
	done(t, env, "", "keys", "rotate", "p1", "--scopes", "read:campaigns")
	if got := command(t, env, "", "keys", "rotate", "p2", "--grace", "1h", "--scopes", "read:campaigns"); got.code != exitFailed ||
		!strings.HasSuffix(got.stderr, "client acme has 500 keys in force, and may have 500: revoke those that are not used\n") {
		t.Errorf("one more for an hour: %+v", got)
	}
}

// What was done to keys is told with who did it, and no key's text.
func TestKeys_AreAudited(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	var next struct {
		Prefix, Key string
		Scopes      []string
	}
	decoded(t, env, &next, "keys", "rotate", prefix, "--scopes", "read:campaigns")
	if len(next.Scopes) != 1 || next.Scopes[0] != "read:campaigns" {
		t.Fatalf("rotated: %+v", next)
	}
	done(t, env, "", "keys", "revoke", next.Prefix)
	var audits []struct{ Action, Prefix, Login, Account, Detail string }
	got := decoded(t, env, &audits, "keys", "audit", "--client", "acme")
	if len(audits) != 3 || strings.Contains(got.stdout, next.Key) {
		t.Fatalf("audit: %+v", got)
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
	d, env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route)
		SELECT k.client_id, k.id, now() + n * interval '1 hour', n + 10, 'x' FROM api_keys AS k, generate_series(-3, 3) AS n WHERE k.client_id IS NOT NULL`)
	// Admit counts the hour up to the newest row: that alone.
	var listed []struct{ Remaining int }
	if got := decoded(t, env, &listed, "keys", "list"); len(listed) != 1 || listed[0].Remaining != 599 {
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
	d.Exec(t, `INSERT INTO request_log (client_id, key_id, at, seq, route)
		SELECT k.client_id, k.id, now() + interval '1 day', 50, 'x' FROM api_keys AS k WHERE k.client_id IS NOT NULL`)
	if got := command(t, env, "", "keys", "mend-window", "--all"); got.code != exitDone || !strings.HasSuffix(got.stderr, "(notebook): 1 log rows dated in the future removed\n") {
		t.Errorf("mend-window --all: %+v", got)
	}
	if got := command(t, env, "", "keys", "mend-window", prefix); !strings.Contains(got.stderr, " 0 log rows dated in the future removed") {
		t.Errorf("mend-window again: %+v", got)
	}
	left := dbtest.Value[int](t, d, "SELECT count(*) FROM request_log")
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
	d, env := onDatabase(t)
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
	got := decoded(t, env, &keys, "keys", "list")
	if len(keys) != 1 || keys[0].LastHour != 11 || keys[0].Remaining != 589 || keys[0].LastUsed == nil {
		t.Errorf("%+v", got)
	}
}

// Use is added up by day, of one key or all of a client's; what expires soon is listed.
func TestKeys_UseAndExpiryAreListed(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	first, _ := issueKey(t, env, "--expires-in", "13d")
	issueKey(t, env, "--expires-in", "15d")
	ended, _ := issueKey(t, env, "--expires-in", "2d")
	done(t, env, "", "keys", "revoke", ended)
	var keys []struct{ Prefix string }
	if decoded(t, env, &keys, "keys", "list", "--expiring", "14d"); len(keys) != 1 || keys[0].Prefix != first {
		t.Errorf("expiring: %+v, want %s alone", keys, first)
	}
	d.Exec(t, `SELECT add_key_usage(array_agg(k.id), array_agg(date_trunc('day', now() - interval '1 day', 'UTC') + n * interval '1 hour'),
			array_agg('listInterviews'::text), array_agg(s.status::smallint), array_agg(n::bigint))
		FROM api_keys AS k, generate_series(1, 3) AS n, (VALUES (200), (401)) AS s (status) WHERE k.client_id IS NOT NULL`)
	for args, want := range map[string]int{first: 2, "--client acme": 6, first + " --by hour": 6, first + " --since 1h": 0} {
		var uses []struct{ Requests int }
		decoded(t, env, &uses, append([]string{"keys", "usage"}, strings.Fields(args)...)...)
		if len(uses) != want || args == first && uses[0].Requests != 6 {
			t.Errorf("%s: %+v, want %d rows", args, uses, want)
		}
	}
}

// Names come from imports: none makes a line of its own, or writes over one.
func TestTable_NamesMakeNoLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	e := &environment{stdout: &out}
	require.NoError(t, printList(e, []string{"a\nb\x1b[2K\r\u009bc\tactive"}, "NAME\tSTATE", func(row string) string { return row }))
	if want := "NAME        STATE\na?b?[2K??c  active\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
