package config_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestFromEnv_ReportsEveryMistake(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"CLIENTINTEL_POOL_SIZE": "0", "CLIENTINTEL_STATEMENT_TIMEOUT": "0s", "CLIENTINTEL_DRAIN_DELAY": "soon",
		"CLIENTINTEL_LOG_LEVEL": "loud", "CLIENTINTEL_CURSOR_SECRET_PREVIOUS": "short",
		"CLIENTINTEL_TLS_CERT": "x",
	}
	s, err := config.FromEnv(func(name string) string { return env[name] })
	got := strings.Split(err.Error(), "\n")
	want := []string{
		`CLIENTINTEL_POOL_SIZE must be a whole number from 1, not "0"`,
		`CLIENTINTEL_STATEMENT_TIMEOUT must be a duration such as 10s or 24h, not "0s"`,
		`CLIENTINTEL_DRAIN_DELAY must be a duration such as 5s, or 0, not "soon"`,
	}
	check.Slices(t, got, want)
	got = strings.Split(s.Server.Check().Error(), "\n")
	want = []string{
		`--log-level (CLIENTINTEL_LOG_LEVEL) must be debug, info, warn or error, not "loud"`,
		`CLIENTINTEL_CURSOR_SECRET_PREVIOUS must have at least 32 characters`,
		`--tls-cert (CLIENTINTEL_TLS_CERT) and --tls-key (CLIENTINTEL_TLS_KEY) must be set together`,
	}
	check.Slices(t, got, want)
}

func TestCheck_Addresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, ":8080": true, "[::]:65535": true, "localhost:80": true,
		"127.0.0.1:65536": false, "127.0.0.1:-1": false, "unix:/run/x": false, "unix:": false, "127.0.0.1": false, "127.0.0.1:http": false,
	} {
		s, err := config.FromEnv(func(name string) string { return map[string]string{"CLIENTINTEL_LISTEN": address}[name] })
		require.NoError(t, err)
		if err := s.Server.Check(); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A misspelled setting is told with the one that was meant; what Kubernetes puts
// into every container is not.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	got := config.UnknownVariables([]string{
		"HOME=/", "CLIENTINTEL_POOLSIZE=8", "CLIENTINTEL_SOMETHING_ELSE=1", "CLIENTINTEL_LISTEN=127.0.0.1:1", "CLIENTINTEL_OPS_PORT=9090",
		"CLIENTINTEL_SERVICE_HOST=10.0.0.1", "CLIENTINTEL_SERVICE_PORT=80", "CLIENTINTEL_SERVICE_PORT_HTTP=80", "CLIENTINTEL_PORT=tcp://10.0.0.1:80",
		"CLIENTINTEL_PORT_8080_TCP=tcp://10.0.0.1:8080", "CLIENTINTEL_PORT_8080_TCP_ADDR=10.0.0.1",
		"CLIENTINTEL_METRICS_SERVICE_HOST=10.0.0.2", "CLIENTINTEL_METRICS_PORT=tcp://10.0.0.2:9090",
		"CLIENTINTEL_TESTING_WINDOW=1m", "DATABASE_OWNER_UR=x", "database_url=x", "CLIENT_INTEL_DATA_DIR=x", "CLIENTINTEL_LISTN=x",
		"DATABASE_USER=x", "TEST_DATABASE_URL=x", "PATH=x",
	})
	want := []config.Unknown{
		{"CLIENTINTEL_LISTN", "CLIENTINTEL_LISTEN"}, {"CLIENTINTEL_OPS_PORT", ""}, {"CLIENTINTEL_POOLSIZE", "CLIENTINTEL_POOL_SIZE"}, {"CLIENTINTEL_SOMETHING_ELSE", ""},
		{"CLIENT_INTEL_DATA_DIR", "CLIENTINTEL_DATA_DIR"}, {"DATABASE_OWNER_UR", "DATABASE_OWNER_URL"}, {"database_url", "DATABASE_URL"},
	}
	check.Slices(t, got, want)
}

// What other programs call theirs is not told where ours is set.
func TestUnknownVariables_OfOtherPrograms(t *testing.T) {
	t.Parallel()
	if got := config.UnknownVariables([]string{"DATABASE_URL=x", "DATABASE_URI=x"}); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestRedacted_ShowsNoSecret(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": "postgres://api:hunter2@db/x?password=hunter2", "DATABASE_OWNER_URL": "host=db password=hunter2",
		"CLIENTINTEL_CURSOR_SECRET": "hunter2hunter2hunter2hunter2hunter2",
	}
	s, err := config.FromEnv(func(name string) string { return env[name] })
	require.NoError(t, err)
	shown := map[string]string{}
	for _, f := range config.Fields(&s) {
		shown[f.Variable] = f.Redacted()
		check.Lacks(t, f.Redacted(), "hunter2", f.Variable)
	}
	for _, url := range []string{
		"postgres://user:#hunter2@host/db", "postgres://user:/hunter2@host/db", "postgres://user:?hunter2@host/db",
		"postgres://a@b:#hunter2@host/db", "postgres://a@b:/hunter2@host/db", "postgres://host/db#hunter2",
	} {
		s.Database.URL = url
		for _, f := range config.Fields(&s) {
			check.Lacks(t, f.Redacted(), "hunter2", url)
		}
	}
	check.Equal(t, shown["DATABASE_URL"], "postgres://api:xxxxx@db/x", "DATABASE_URL")
}
