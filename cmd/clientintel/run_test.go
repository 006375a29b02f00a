package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// result is what a command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// command runs the program as an operator would, in this process.
func command(t *testing.T, env map[string]string, stdin string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(t.Context(), args, environOf(env), strings.NewReader(stdin), &out, &errs)
	return result{code, out.String(), errs.String()}
}

// done runs a command that must succeed.
func done(t *testing.T, env map[string]string, stdin string, args ...string) result {
	t.Helper()
	got := command(t, env, stdin, args...)
	if got.code != exitDone {
		t.Fatalf("%s: %+v", strings.Join(args, " "), got)
	}
	return got
}

// decoded runs a command that prints JSON.
func decoded(t *testing.T, env map[string]string, into any, args ...string) result {
	t.Helper()
	got := done(t, env, "", append(args, "--json")...)
	require.NoError(t, json.Unmarshal([]byte(got.stdout), into), strings.Join(args, " "), got)
	return got
}

func environOf(env map[string]string) []string {
	var environ []string
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	return environ
}

func onDatabase(t *testing.T) (*dbtest.Database, map[string]string) {
	t.Helper()
	d := dbtest.New(t)
	return d, map[string]string{"DATABASE_URL": d.OwnerURL}
}

const acme = `{"kind":"client","id":"11111111-1111-4111-8111-111111111111","slug":"acme","name":"Acme"}` + "\n"

func TestRun_UsageIsReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want string
	}{
		{"nonsense", `clientintel: unknown command "nonsense" for "clientintel"`},
		{"--nonsense", "clientintel: unknown flag: --nonsense"},
		{"import", "clientintel: name what to import: files or -, or --from-postgres with --query"},
		{"keys list x", "clientintel: unexpected argument \"x\"\nUsage: clientintel keys list [flags]\nSee 'clientintel keys list --help'.\n"},
		{"keys rotate", "clientintel: missing argument KEY\nUsage: clientintel keys rotate KEY|- [flags]\nSee 'clientintel keys rotate --help'.\n"},
		{"verify - --url %zz", `clientintel: --url: "%zz" is not the address of a request`},
		{"verify - --data-dir x", "clientintel: unknown flag: --data-dir"},
		{"conformance", `clientintel: required flag(s) "base-url" not set`},
		{"conformance --base-url http://x", `clientintel: required flag "key" not set, nor CLIENTINTEL_CONFORMANCE_KEYS`},
		{"conformance --base-url x.example --key k", `clientintel: --base-url must be an address such as https://intelligence.example.com, not "x.example"`},
		{"conformance --base-url http://x --key k --max-requests 0", "clientintel: --max-requests must be at least 1"},
		{"import --query x.sql", "clientintel: --from-postgres and --query go together"},
		{"import - -", "clientintel: standard input (-) is given twice"},
		{"import [", "clientintel: [: syntax error in pattern"},
		{"import - --max-removed 5", "clientintel: --max-removed and --kinds go with --replace-client"},
		{"import - --replace-client a --kinds client", `clientintel: --kinds: "client" is not one of campaign, lane, interview,`},
		{"import - --replace-client a --max-removed 101%", `clientintel: --max-removed must be a number of records, such as 500, or a share of 0% to 100%, not "101%"`},
		{"import - --replace-client a --max-removed a/lanes=1", `clientintel: --max-removed: "lanes" is not one of campaign, lane, `},
		{"import - --replace-client a --max-removed b/lane=1", `clientintel: --max-removed: "b" is not a client as --replace-client names it`},
		{"keys issue", `clientintel: required flag(s) "client", "name" not set`},
		{"keys issue --client a --name b --scopes read:all", `clientintel: --scopes: "read:all" is no scope; choose from read:campaigns,`},
		{"keys issue --client a --name b --scopes=", `clientintel: --scopes: "" is no scope; choose from read:campaigns,`},
		{"migrate --json", "clientintel: --json goes with --dry-run only"},
		{"migrate --dry-run --distribute", "clientintel: name one of --dry-run and --distribute"},
		{"keys issue --client a --name b --expires-at tomorrow", `clientintel: --expires-at: "tomorrow" is no date-time such as 2027-01-31T00:00:00Z`},
		{"keys issue --client a --name b --expires-at 2020-01-01T00:00:00Z", "clientintel: --expires-at: 2020-01-01T00:00:00Z has passed"},
		{"keys rotate x --grace -1h", "clientintel: --grace must not be negative"},
		{"serve --listen nowhere", `clientintel: --listen (CLIENTINTEL_LISTEN) must be host:port, such as 127.0.0.1:8080, not "nowhere"`},
		{"measurement rebuild", "clientintel: specify either --client or --all"},
		{"measurement cutover --legacy", `clientintel: required flag(s) "client" not set`},
		{"measurement cutover --client a --legacy --contract-version x", "clientintel: specify either --contract-version or --legacy"},
		{"measurement cutover --client a --contract-version canonical_measurement.v2", `clientintel: --contract-version: this release knows canonical_measurement.v1; with`},
		{"serve --public-url ftp://x", "clientintel: --public-url (CLIENTINTEL_PUBLIC_URL) must be an address such as"},
	} {
		got := command(t, nil, "", strings.Fields(c.args)...)
		if got.code != exitUsage || !strings.HasPrefix(got.stderr, c.want) || got.stdout != "" {
			t.Errorf("%s: exit %d, stderr %q; want 2 and %q", c.args, got.code, got.stderr, c.want)
		}
	}
}

func TestRun_HelpEverywhere(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"", "--help", "serve --help", "keys", "keys --help", "completion", "keys issue --help", "help", "help keys issue", "help help", "completion bash --help", "import --help", "migrate --help", "demo --help"} {
		if got := command(t, nil, "", strings.Fields(args)...); got.code != exitDone || !strings.Contains(got.stdout, "Usage:") {
			t.Errorf("%q: exit %d, stdout %q", args, got.code, got.stdout)
		}
	}
	secret := map[string]string{"DATABASE_URL": "postgres://u:hunter2@127.0.0.1:1/x"}
	if got := command(t, secret, "", "serve", "--help"); strings.Contains(got.stdout, "hunter2") {
		t.Error("help prints the database password")
	}
}

// A command whose output is lost has failed, and says why.
func TestRun_OutputThatIsLost(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	for _, args := range []string{"doctor", "doctor --json", "config", "config --json", "serve --help", "completion bash", "version", "version --json", "measurement audit", "import --json -"} {
		var errs bytes.Buffer
		code := run(t.Context(), strings.Fields(args), environOf(env), strings.NewReader(acme), full{}, &errs)
		if code != exitFailed || !strings.HasSuffix(errs.String(), "no space left on device\n") {
			t.Errorf("%s: exit %d, %s", args, code, errs.String())
		}
	}
}

func TestRun_KeysLiveAndEnd(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	done(t, env, acme, "import", "-")
	var key struct {
		ID, Prefix, Key, Name string
		ClientID              string `json:"client_id"`
		Scopes                []string
		ExpiresAt             string `json:"expires_at"`
	}
	decoded(t, env, &key, "keys", "issue", "--client", "acme", "--name", "a notebook", "--expires-at", "2099-01-01T00:00:00Z")
	if key.Name != "a notebook" || len(key.Scopes) != 3 || key.ExpiresAt != "2099-01-01T00:00:00Z" ||
		key.ClientID != "11111111-1111-4111-8111-111111111111" || !strings.HasPrefix(key.Key, "cik_"+key.Prefix+"_") {
		t.Errorf("issued %+v", key)
	}
	// Flags may stand before or after arguments.
	rotated := command(t, env, "", "keys", "rotate", key.Prefix, "--grace", "24h", "--json")
	again := command(t, env, "", "keys", "rotate", "--json", key.ID)
	if rotated.code != exitDone || again.code != exitFailed || !strings.Contains(again.stderr, "is already being replaced and ends at ") {
		t.Errorf("rotating twice: %+v, then %+v", rotated, again)
	}
	if got := command(t, env, "", "keys", "revoke", "nobody"); got.code != exitFailed ||
		got.stderr != "clientintel: the key is not found: name it by its id, its prefix or all of it\n" {
		t.Errorf("revoking an unknown key: %+v", got)
	}
	if got := command(t, env, "", "keys", "issue", "--client", "nobody", "--name", "x"); got.code != exitFailed ||
		got.stderr != "clientintel: client \"nobody\": not found: name it by its id or slug\n" {
		t.Errorf("a key for an unknown client: %+v", got)
	}
	var keys []map[string]any
	listed := decoded(t, env, &keys, "keys", "list")
	if len(keys) != 2 {
		t.Fatalf("list: %+v", listed)
	}
	for _, k := range keys {
		if _, there := k["key"]; there || strings.Contains(listed.stdout, key.Key[18:]) {
			t.Error("the list shows a secret")
		}
		for _, field := range []string{"id", "prefix", "client_id", "name", "scopes", "expires_at", "created_at", "revoked_at", "last_used_at", "requests_last_hour", "remaining"} {
			if _, there := k[field]; !there {
				t.Errorf("the list lacks %s", field)
			}
		}
	}
}

// A client leaves with everything, by its slug as proof.
func TestRun_ClientsComeAndGo(t *testing.T) {
	t.Parallel()
	_, env := onDatabase(t)
	lane := `{"kind":"lane","client_id":"11111111-1111-4111-8111-111111111111","id":"11111111-1111-4111-8111-111111111112","slug":"s","visible":true}` + "\n"
	if got := command(t, env, acme+lane, "import", "-", "--json"); got.code != exitDone ||
		!strings.Contains(got.stdout, `"imported": true`) || !strings.Contains(got.stdout, `"added": 1`) {
		t.Fatalf("import: %+v", got)
	}
	if got := command(t, env, acme+"x", "import", "-", "--json"); got.code != exitFailed || !strings.Contains(got.stdout, `"line": 2,`) {
		t.Errorf("a bad import: %+v", got)
	}
	exported := command(t, env, "", "clients", "export", "acme", "--with-keys")
	if lines := strings.Split(exported.stdout, "\n"); exported.code != exitDone || len(lines) != 4 || lines[2] != `{"kind":"end","lines":2}` {
		t.Errorf("export: %+v", exported)
	}
	if got := command(t, env, "globex\n", "clients", "purge", "acme"); got.code != exitFailed || !strings.HasSuffix(got.stderr, "nothing was removed: that is not the client's slug\n") {
		t.Errorf("purging without proof: %+v", got)
	}
	if got := command(t, env, "", "clients", "list", "--json"); got.code != exitDone || !strings.Contains(got.stdout, `"slug": "acme"`) {
		t.Errorf("list: %+v", got)
	}
	if got := command(t, env, "acme\n", "clients", "purge", "acme"); got.code != exitDone || !strings.HasPrefix(got.stdout, "removed acme: ") || !strings.Contains(got.stdout, "lane 1") {
		t.Errorf("purge: %+v", got)
	}
	if got := command(t, env, "", "clients", "purge", "acme", "--yes"); got.code != exitFailed || got.stderr != "clientintel: there is no client \"acme\": name it by its id or slug\n" {
		t.Errorf("purging again: %+v", got)
	}
	done(t, env, exported.stdout, "import", "-", "--with-keys")
}

// A text is stored as it was sent, whatever the defaults of the database are.
func TestRun_ImportDependsOnNoDefaults(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	for _, setting := range []string{
		"client_encoding = LATIN1", "TimeZone = 'Asia/Kathmandu'", "DateStyle = 'SQL, DMY'", "search_path = nowhere",
		"default_transaction_isolation = serializable", "row_security = off", "default_transaction_read_only = on",
	} {
		database.Exec(t, "ALTER DATABASE "+database.Name+" SET "+setting)
	}
	env := map[string]string{"DATABASE_URL": database.OwnerURL}
	const given = "Çağ für Ærø"
	done(t, env, strings.ReplaceAll(acme, `"Acme"`, `"`+given+`"`), "import", "-")
	var isSame bool
	if database.Query(t, &isSame, "SELECT convert_to(name, 'UTF8') = $1 FROM public.clients WHERE slug = 'acme'", []byte(given)); !isSame {
		t.Error("the name is another text")
	}
	for _, args := range []string{"keys issue --client acme --name x", "measurement audit", "migrate"} {
		done(t, env, "", strings.Fields(args)...)
	}
}

func TestRun_DatabaseOutOfReach(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"postgres://u:hunter2@127.0.0.1:1/x":   "clientintel: connecting to the database: ",
		"postgres://u:hunter2@127.0.0.1:1/x\n": "clientintel: the database URL has a line break in it, or a blank at an end",
		"postgres://u:hunter2@127.0.0.1:x/db":  "clientintel: the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings\n",
	} {
		for _, args := range [][]string{{"migrate"}, {"keys", "list"}} {
			got := command(t, map[string]string{"DATABASE_URL": url}, "", args...)
			if got.code != exitFailed || !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "hunter2") {
				t.Errorf("%v on %s: exit %d, stderr %q; want %q and no password", args, url, got.code, got.stderr, want)
			}
		}
	}
	if got := command(t, map[string]string{"DATABASE_OWNER_URL": "postgres://x/y"}, "", "migrate"); got.code != exitUsage ||
		!strings.Contains(got.stderr, "is set without --database-url") {
		t.Errorf("an owner's URL alone: %+v", got)
	}
}

// Without a database that is named, or with its variable misspelled, no command ends in a
// private one.
func TestRun_NoDatabaseIsNamed(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	for _, args := range []string{
		"serve", "migrate", "migrate status", "import -", "keys list", "keys revoke x", "clients list", "measurement audit", "doctor",
	} {
		got := command(t, map[string]string{"DATABASE_UR": "postgres://127.0.0.1:1/x", "XDG_STATE_HOME": state, "HOME": state}, acme, strings.Fields(args)...)
		if got.code != exitUsage || got.stdout != "" || !strings.Contains(got.stderr, "clientintel: no database is named: set --database-url (DATABASE_URL) to a PostgreSQL, or --data-dir (CLIENTINTEL_DATA_DIR)") {
			t.Errorf("%s: %+v", args, got)
		}
		if args != "serve" && !strings.HasPrefix(got.stderr, "warning: no setting is called DATABASE_UR: is DATABASE_URL meant?\n") {
			t.Errorf("%s does not warn: %s", args, got.stderr)
		}
	}
	if made, _ := os.ReadDir(state); len(made) > 0 {
		t.Errorf("%v was made", made)
	}
}

func TestRun_PortInUse(t *testing.T) {
	t.Parallel()
	var listen net.ListenConfig
	taken, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	_, env := onDatabase(t)
	got := command(t, env, "", "serve", "--listen", taken.Addr().String(), "--ops-listen", "127.0.0.1:0")
	if got.code != exitFailed || !strings.Contains(got.stderr, "address already in use: free the address or choose another with --listen") {
		t.Errorf("serving on a taken port: %+v", got)
	}
}
