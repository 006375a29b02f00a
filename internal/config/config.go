package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Settings are what flags and environment set. The tags of a field name its variable and
// flag, its default (shown: a default that depends on the machine, in words) and its
// meaning; the table in docs/deployment.md is generated from them.
type Settings struct {
	// Database is read by every command that opens the database.
	Database Database
	// Server is read by the commands that serve.
	Server Server
	// Console is read by the command console.
	Console Console
}

// Database names the database, or where an embedded one keeps its data.
type Database struct {
	URL      string `env:"DATABASE_URL" flag:"database-url" kind:"url" usage:"the login of the server, or of the command, to PostgreSQL 15 or later"`
	OwnerURL string `env:"DATABASE_OWNER_URL" flag:"owner-url" shown:"the database URL" kind:"url" usage:"the schema owner's login, which migrates; where it is set, commands use it too, with their own role"`
	DataDir  string `env:"CLIENTINTEL_DATA_DIR" flag:"data-dir" shown:"none; in demo clientintel-demo in /var/lib for root, else in $XDG_STATE_HOME or ~/.local/state" usage:"without a database URL: the data directory of an embedded PostgreSQL, for trials"`
	BinDir   string `env:"CLIENTINTEL_POSTGRES_BIN" shown:"found, else downloaded" usage:"the directory of the embedded PostgreSQL's programs; download: those of the release that is fetched where none are found"`
}

// ResponseValidation says how responses are validated against the contract.
type ResponseValidation string

// Enforce turns a response that breaks the contract into a 500, Sample checks
// some after they are sent and reports them, Off checks none.
const (
	Enforce ResponseValidation = "enforce"
	Sample  ResponseValidation = "sample"
	Off     ResponseValidation = "off"
)

// Console holds the settings of the console.
type Console struct {
	Listen         string `env:"CLIENTINTEL_CONSOLE_LISTEN" flag:"listen" default:"127.0.0.1:8090" usage:"in console: its address"`
	JWKS           string `env:"CLIENTINTEL_CONSOLE_JWKS" flag:"jwks" usage:"in console: a file with the keys (JWKS) that verify the portal's tokens, read again when it changes"`
	Secret         string `env:"CLIENTINTEL_CONSOLE_SECRET" kind:"secret" usage:"in console: the secret that verifies the portal's tokens, at least 32 bytes; in place of a JWKS"`
	FrameAncestors string `env:"CLIENTINTEL_CONSOLE_FRAME_ANCESTORS" flag:"frame-ancestors" usage:"in console: the origins, separated by blanks, whose pages may frame the developer page"`
}

// Check reports all mistakes together.
func (c Console) Check() error {
	mistakes := []error{checkAddress("--listen (CLIENTINTEL_CONSOLE_LISTEN)", c.Listen)}
	switch {
	case (c.JWKS == "") == (c.Secret == ""):
		mistakes = append(mistakes, errors.New("set --jwks (CLIENTINTEL_CONSOLE_JWKS) or CLIENTINTEL_CONSOLE_SECRET, and not both: the portal's tokens are verified with it"))
	case c.Secret != "" && len(c.Secret) < 32:
		mistakes = append(mistakes, errors.New("CLIENTINTEL_CONSOLE_SECRET must have at least 32 bytes"))
	}
	for _, origin := range strings.Fields(c.FrameAncestors) {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Scheme+"://"+u.Host != origin || strings.ContainsAny(origin, ";,'*") {
			mistakes = append(mistakes, fmt.Errorf("--frame-ancestors (CLIENTINTEL_CONSOLE_FRAME_ANCESTORS) must be origins such as https://portal.example.com, not %q", origin))
		}
	}
	return errors.Join(mistakes...)
}

func checkAddress(name, value string) error {
	_, port, err := net.SplitHostPort(value)
	number, unreadable := strconv.Atoi(port)
	if err != nil || unreadable != nil || number < 0 || number > 65535 {
		return fmt.Errorf("%s must be host:port, such as 127.0.0.1:8080, not %q", name, value)
	}
	return nil
}

// Server holds the settings of servers.
type Server struct {
	Listen    string `env:"CLIENTINTEL_LISTEN" flag:"listen" default:"127.0.0.1:8080" usage:"the API's address; not used where systemd passes a socket"`
	OpsListen string `env:"CLIENTINTEL_OPS_LISTEN" flag:"ops-listen" default:"127.0.0.1:9090" usage:"the address of /livez, /readyz and /metrics"`
	// A request's Host header is never used in PublicURL's place.
	PublicURL          string             `env:"CLIENTINTEL_PUBLIC_URL" flag:"public-url" usage:"the address in the contract, the guides and the check of origins"`
	TLSCert            string             `env:"CLIENTINTEL_TLS_CERT" flag:"tls-cert" usage:"a file with the API's certificate and its chain, read again when it changes; unset: plain HTTP"`
	TLSKey             string             `env:"CLIENTINTEL_TLS_KEY" flag:"tls-key" usage:"a file with the certificate's key"`
	ResponseValidation ResponseValidation `env:"CLIENTINTEL_RESPONSE_VALIDATION" default:"sample" usage:"enforce checks every response against the contract and answers 500 if it breaks it; sample checks some beside the response; off checks none"`
	PoolSize           int                `env:"CLIENTINTEL_POOL_SIZE" shown:"three a core, at least 6" usage:"how many connections read"`
	StatementTimeout   time.Duration      `env:"CLIENTINTEL_STATEMENT_TIMEOUT" default:"2s" usage:"the longest time of one SQL statement of a read"`
	BasisMaxIDs        int                `env:"CLIENTINTEL_BASIS_MAX_IDS" default:"10000" usage:"the most interviews that a measurement_basis names"`
	CursorSecret       string             `env:"CLIENTINTEL_CURSOR_SECRET" shown:"one kept in the database" kind:"secret" usage:"authenticates cursors; at least 32 characters"`
	// CursorSecretPrevious allows rotating the secret while lists are being paged through.
	CursorSecretPrevious string `env:"CLIENTINTEL_CURSOR_SECRET_PREVIOUS" kind:"secret" usage:"the secret before the present one: cursors made with it are accepted while it is named"`
	// Keys, quota and log stay with the primary whatever ReplicaURL names.
	ReplicaURL    string        `env:"CLIENTINTEL_REPLICA_URL" flag:"replica-url" shown:"none: the primary" kind:"url" usage:"the server's login to a standby that responses are read from; keys, quota and log stay with the primary"`
	ReplicaMaxLag time.Duration `env:"CLIENTINTEL_REPLICA_MAX_LAG" flag:"replica-max-lag" default:"10s" usage:"how far behind the standby may be"`
	// DrainDelay is longer than the interval at which a load balancer asks.
	DrainDelay   time.Duration `env:"CLIENTINTEL_DRAIN_DELAY" flag:"drain-delay" default:"5s" kind:"may be zero" usage:"how long to accept connections after SIGTERM while /readyz says not ready; longer than the interval at which a load balancer asks; 0 in demo"`
	DrainTimeout time.Duration `env:"CLIENTINTEL_DRAIN_TIMEOUT" flag:"drain-timeout" default:"20s" usage:"how long requests in flight may take after the drain delay"`
	LogLevel     string        `env:"CLIENTINTEL_LOG_LEVEL" flag:"log-level" default:"info" usage:"the least level that is logged: debug, info, warn or error"`
	LogOneIn     int           `env:"CLIENTINTEL_LOG_ONE_IN" flag:"log-one-in" default:"1" usage:"of requests that succeed, one in so many is logged; all others are"`
	Docs         string        `env:"CLIENTINTEL_DOCS" default:"on" usage:"on serves /docs, /explore and /llms.txt, off (or --no-docs) does not"`

	// Migrate brings the schema up to date before serving (--no-migrate: false).
	Migrate bool
}

// DemoDataDir is the directory of the demo's database unless a setting names one. The
// account that PostgreSQL runs as cannot enter root's own directories.
func DemoDataDir(getenv func(string) string) string {
	const name = "clientintel-demo"
	if os.Geteuid() == 0 {
		return filepath.Join("/var/lib", name)
	}
	if state := getenv("XDG_STATE_HOME"); state != "" {
		return filepath.Join(state, name)
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", name)
	}
	return filepath.Join(os.TempDir(), name)
}

// Embedded reports whether the database is an embedded PostgreSQL.
func (d Database) Embedded() bool { return d.URL == "" && d.OwnerURL == "" && d.DataDir != "" }

// Check reports settings that contradict each other.
func (d Database) Check() error {
	if d.URL == "" && d.OwnerURL != "" {
		return errors.New("--owner-url (DATABASE_OWNER_URL) is set without --database-url (DATABASE_URL): set both")
	}
	return nil
}

// CheckNamed is Check for a command that needs a database. None is embedded unless that is
// asked for: a misspelled variable would end in an empty one.
func (d Database) CheckNamed() error {
	if d.URL == "" && d.OwnerURL == "" && d.DataDir == "" {
		return errors.New("no database is named: set --database-url (DATABASE_URL) to a PostgreSQL, " +
			"or --data-dir (CLIENTINTEL_DATA_DIR) to a directory for an embedded one, which is for trials")
	}
	return d.Check()
}

// FromEnv reads the settings, which flags may then override. The error joins all mistakes
// in the server's settings; commands that do not serve may ignore it.
func FromEnv(getenv func(string) string) (Settings, error) {
	s := Settings{
		Server: Server{PoolSize: max(6, 3*runtime.NumCPU()), Migrate: true},
	}
	var mistakes []error
	for _, f := range Fields(&s) {
		text := getenv(f.Variable)
		switch {
		case text != "":
			if err := f.Set(text); err != nil {
				mistakes = append(mistakes, fmt.Errorf("%s %w, not %q", f.Variable, err, text))
			}
		case f.preset != "":
			if err := f.Set(f.preset); err != nil {
				panic(err) // a tag of ours
			}
		}
	}
	return s, errors.Join(mistakes...)
}

// BaseURL is the API's URL at an address that it listens on.
func (s Server) BaseURL(address string) string {
	if s.TLSCert != "" {
		return "https://" + address
	}
	return "http://" + address
}

// Check reports all mistakes together.
func (s Server) Check() error {
	mistakes := []error{
		checkAddress("--listen (CLIENTINTEL_LISTEN)", s.Listen), checkAddress("--ops-listen (CLIENTINTEL_OPS_LISTEN)", s.OpsListen),
	}
	refuseIf := func(wrong bool, format string, args ...any) {
		if wrong {
			mistakes = append(mistakes, fmt.Errorf(format, args...))
		}
	}
	if s.PublicURL != "" {
		u, err := url.Parse(s.PublicURL)
		refuseIf(err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "",
			"--public-url (CLIENTINTEL_PUBLIC_URL) must be an address such as https://intelligence.example.com, not %q", s.PublicURL)
	}
	oneOf := func(name, value string, accepted ...string) {
		refuseIf(!slices.Contains(accepted, value), "%s must be %s or %s, not %q",
			name, strings.Join(accepted[:len(accepted)-1], ", "), accepted[len(accepted)-1], value)
	}
	oneOf("CLIENTINTEL_RESPONSE_VALIDATION", string(s.ResponseValidation), string(Enforce), string(Sample), string(Off))
	oneOf("CLIENTINTEL_DOCS", s.Docs, "on", "off")
	oneOf("--log-level (CLIENTINTEL_LOG_LEVEL)", s.LogLevel, "debug", "info", "warn", "error")
	for _, secret := range []struct{ name, value string }{
		{"CLIENTINTEL_CURSOR_SECRET", s.CursorSecret}, {"CLIENTINTEL_CURSOR_SECRET_PREVIOUS", s.CursorSecretPrevious},
	} {
		refuseIf(secret.value != "" && len(secret.value) < 32, "%s must have at least 32 characters", secret.name)
	}
	refuseIf((s.TLSCert == "") != (s.TLSKey == ""), "--tls-cert (CLIENTINTEL_TLS_CERT) and --tls-key (CLIENTINTEL_TLS_KEY) must be set together")
	return errors.Join(mistakes...)
}
