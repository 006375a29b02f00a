package main

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

func TestConfig_PrintsWhatIsInForceAndWhereFrom(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": "postgres://u:hunter2@db/x", "CLIENTINTEL_POOL_SIZE": "7", "CLIENTINTEL_LISTEN": "127.0.0.1:1"}
	var settings []setting
	if got := decoded(t, env, &settings, "config", "--listen", "127.0.0.1:2"); strings.Contains(got.stdout, "hunter2") {
		t.Fatalf("%+v", got)
	}
	found := map[string]setting{}
	for _, s := range settings {
		found[s.Variable] = s
	}
	for _, want := range []setting{
		{"DATABASE_URL", "--database-url", "postgres://u:xxxxx@db/x", "environment"},
		{"CLIENTINTEL_POOL_SIZE", "", "7", "environment"},
		{"CLIENTINTEL_LISTEN", "--listen", "127.0.0.1:2", "flag"},
		{"CLIENTINTEL_DRAIN_DELAY", "--drain-delay", "5s", "default"},
		{"CLIENTINTEL_CURSOR_SECRET", "", "one kept in the database", "default"},
	} {
		check.Equal(t, found[want.Variable], want)
	}
}

// A misspelled variable is told with the setting that is meant, and with --strict
// it is wrong usage.
func TestConfig_MisspelledVariables(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CLIENTINTEL_POOLSIZE": "7", "CLIENTINTEL_PORT": "tcp://10.0.0.1:80"}
	const want = "no setting is called CLIENTINTEL_POOLSIZE: is CLIENTINTEL_POOL_SIZE meant?"
	if got := command(t, env, "", "config"); got.code != exitDone || got.stderr != "warning: "+want+"\n" {
		t.Errorf("config: %+v", got)
	}
	if got := command(t, env, "", "config", "--strict"); got.code != exitUsage || !strings.Contains(got.stderr, want) || got.stdout != "" {
		t.Errorf("config --strict: %+v", got)
	}
	delete(env, "CLIENTINTEL_POOLSIZE")
	done(t, env, "", "config", "--strict")
	wrong := map[string]string{"CLIENTINTEL_LOG_LEVEL": "loud"}
	if got := command(t, wrong, "", "config"); got.code != exitUsage {
		t.Errorf("a wrong level: %+v", got)
	}
}

// Whatever is wrong of a server's settings is told at once, and no password with it.
func TestConfig_WrongValuesAreReportedTogether(t *testing.T) {
	t.Parallel()
	const unreadable = " the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings\n"
	env := map[string]string{
		"CLIENTINTEL_POOL_SIZE": "0", "CLIENTINTEL_LISTEN": "x", "DATABASE_URL": "http://u:hunter2@x", "DATABASE_OWNER_URL": "postgres://u:hunter2@x:y/z",
		"CLIENTINTEL_REPLICA_URL": "http://u:hunter2@x",
	}
	for _, args := range []string{"serve", "config", "config --strict", "demo"} {
		got := command(t, env, "", strings.Fields(args)...)
		want := "clientintel: CLIENTINTEL_POOL_SIZE must be a whole number from 1, not \"0\"\n" +
			"--listen (CLIENTINTEL_LISTEN) must be host:port, such as 127.0.0.1:8080, not \"x\"\n" +
			"--database-url (DATABASE_URL):" + unreadable + "--owner-url (DATABASE_OWNER_URL):" + unreadable + "--replica-url (CLIENTINTEL_REPLICA_URL):" + unreadable +
			"See 'clientintel " + strings.Fields(args)[0] + " --help'.\n"
		if got.code != exitUsage || got.stdout != "" || got.stderr != want {
			t.Errorf("%s: %+v, want %q", args, got, want)
		}
	}
	alone := map[string]string{"DATABASE_OWNER_URL": "postgres://x/y"}
	if got := command(t, alone, "", "serve"); got.code != exitUsage || !strings.Contains(got.stderr, "is set without --database-url") {
		t.Errorf("an owner's URL alone: %+v", got)
	}
}
