package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// Settings is everything that flags and environment decide.
type Settings struct {
	// Database is read by every command that opens the database.
	Database Database
	// Server is read by the commands that serve.
	Server Server
}

// Database says where the data lives.
type Database struct {
	// URL is the server's login (DATABASE_URL). Empty: an embedded PostgreSQL.
	URL string
	// OwnerURL is the schema owner's login (DATABASE_OWNER_URL). Empty: URL is the owner's.
	OwnerURL string
	// DataDir holds the embedded PostgreSQL (CLIENTINTEL_DATA_DIR).
	DataDir string
	// BinDir holds the programs it runs (CLIENTINTEL_POSTGRES_BIN). Empty: they are looked for.
	BinDir string
}

// ResponseValidation says how responses are held against the contract.
type ResponseValidation string

// Enforce turns a response that breaks the contract into a 500, Sample checks
// some after they are sent and reports them, Off checks none.
const (
	Enforce ResponseValidation = "enforce"
	Sample  ResponseValidation = "sample"
	Off     ResponseValidation = "off"
)

// Server says how requests are answered.
type Server struct {
	// Listen is the API's address (CLIENTINTEL_LISTEN).
	Listen string
	// OpsListen is the address of /livez, /readyz and /metrics (CLIENTINTEL_OPS_LISTEN).
	OpsListen string
	// PublicURL is the address that guides and contract name (CLIENTINTEL_PUBLIC_URL).
	// Empty: they name none; a request's Host header is never used.
	PublicURL string
	// ResponseValidation is how responses are checked (CLIENTINTEL_RESPONSE_VALIDATION).
	ResponseValidation ResponseValidation
	// PoolSize bounds the connections that read (CLIENTINTEL_POOL_SIZE).
	PoolSize int
	// StatementTimeout bounds each statement (CLIENTINTEL_STATEMENT_TIMEOUT).
	StatementTimeout time.Duration
	// BasisMaxIDs bounds the interviews that a basis names (CLIENTINTEL_BASIS_MAX_IDS).
	BasisMaxIDs int
	// CursorSecret encrypts cursors (CLIENTINTEL_CURSOR_SECRET). Empty: the one in the database.
	CursorSecret string
	// ReplicaURL is the server's login to a standby that answers are read from
	// (CLIENTINTEL_REPLICA_URL). Empty: they are read from the primary. Keys, quota
	// and log stay with the primary in any case.
	ReplicaURL string
	// ReplicaMaxLag is how far behind the standby may be (CLIENTINTEL_REPLICA_MAX_LAG).
	ReplicaMaxLag time.Duration
	// DrainDelay is how long a server that is asked to stop says "not ready" and goes
	// on accepting (CLIENTINTEL_DRAIN_DELAY). Longer than the interval at which a
	// load balancer asks.
	DrainDelay time.Duration
	// DrainTimeout is how long requests in flight may take once the server is asked
	// to stop (CLIENTINTEL_DRAIN_TIMEOUT).
	DrainTimeout time.Duration
	// Traces exports a span of each request: OTEL_EXPORTER_OTLP_ENDPOINT, or its
	// variant for traces, names a collector, and no variable switches it off.
	Traces bool
	// Migrate brings the schema up to date before serving (--no-migrate: false).
	Migrate bool
}

// defaultDataDir is where an embedded database lives unless a setting names a
// directory. Root's own directories are closed to the account PostgreSQL runs as.
func defaultDataDir(getenv func(string) string) string {
	if os.Geteuid() == 0 {
		return "/var/lib/clientintel"
	}
	if state := getenv("XDG_STATE_HOME"); state != "" {
		return filepath.Join(state, "clientintel")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".local", "state", "clientintel")
	}
	return filepath.Join(os.TempDir(), "clientintel")
}

// Owner is the login that migrates, imports and keeps keys.
func (d Database) Owner() string { return orDefault(d.OwnerURL, d.URL) }

// Embedded reports whether the data lives in an embedded PostgreSQL.
func (d Database) Embedded() bool { return d.URL == "" && d.OwnerURL == "" }

// Check reports settings that contradict each other.
func (d Database) Check() error {
	if d.URL == "" && d.OwnerURL != "" {
		return errors.New("--owner-url (DATABASE_OWNER_URL) is set without --database-url (DATABASE_URL): set both, or neither for an embedded database")
	}
	return nil
}

// FromEnv reads what flags may then override. The error joins every mistake in
// the server's settings; commands that do not serve may ignore it.
func FromEnv(getenv func(string) string) (Settings, error) {
	database := Database{
		URL:      getenv("DATABASE_URL"),
		OwnerURL: getenv("DATABASE_OWNER_URL"),
		DataDir:  orDefault(getenv("CLIENTINTEL_DATA_DIR"), defaultDataDir(getenv)),
		BinDir:   getenv("CLIENTINTEL_POSTGRES_BIN"),
	}
	var mistakes []error
	number := func(name string, fallback int) int {
		text := getenv(name)
		if text == "" {
			return fallback
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			mistakes = append(mistakes, fmt.Errorf("%s must be a whole number from 1, not %q", name, text))
		}
		return n
	}
	duration := func(name string, fallback time.Duration) time.Duration {
		text := getenv(name)
		if text == "" {
			return fallback
		}
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			mistakes = append(mistakes, fmt.Errorf("%s must be a duration such as 10s or 24h, not %q", name, text))
		}
		return d
	}
	delay := func(name string, fallback time.Duration) time.Duration {
		if text := getenv(name); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil || d < 0 {
				mistakes = append(mistakes, fmt.Errorf("%s must be a duration such as 5s, or 0, not %q", name, text))
			}
			return d
		}
		return fallback
	}
	s := Server{
		Listen:             orDefault(getenv("CLIENTINTEL_LISTEN"), "127.0.0.1:8080"),
		OpsListen:          orDefault(getenv("CLIENTINTEL_OPS_LISTEN"), "127.0.0.1:9090"),
		PublicURL:          getenv("CLIENTINTEL_PUBLIC_URL"),
		ResponseValidation: ResponseValidation(orDefault(getenv("CLIENTINTEL_RESPONSE_VALIDATION"), string(Sample))),
		PoolSize:           number("CLIENTINTEL_POOL_SIZE", max(4, 2*runtime.NumCPU())),
		StatementTimeout:   duration("CLIENTINTEL_STATEMENT_TIMEOUT", 10*time.Second),
		BasisMaxIDs:        number("CLIENTINTEL_BASIS_MAX_IDS", 10_000),
		CursorSecret:       getenv("CLIENTINTEL_CURSOR_SECRET"),
		ReplicaURL:         getenv("CLIENTINTEL_REPLICA_URL"),
		ReplicaMaxLag:      duration("CLIENTINTEL_REPLICA_MAX_LAG", 10*time.Second),
		DrainDelay:         delay("CLIENTINTEL_DRAIN_DELAY", 5*time.Second),
		DrainTimeout:       duration("CLIENTINTEL_DRAIN_TIMEOUT", 20*time.Second),
		Migrate:            true,
	}
	s.Traces = (getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "") &&
		getenv("OTEL_SDK_DISABLED") != "true" && getenv("OTEL_TRACES_EXPORTER") != "none"
	if protocol := orDefault(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); s.Traces &&
		protocol != "" && protocol != "http/protobuf" {
		mistakes = append(mistakes, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not %q", protocol))
	}
	return Settings{database, s}, errors.Join(mistakes...)
}

// Check reports every mistake, together.
func (s Server) Check() error {
	var mistakes []error
	for _, address := range []struct{ name, value string }{
		{"--listen (CLIENTINTEL_LISTEN)", s.Listen}, {"--ops-listen (CLIENTINTEL_OPS_LISTEN)", s.OpsListen},
	} {
		if _, _, err := net.SplitHostPort(address.value); err != nil {
			mistakes = append(mistakes, fmt.Errorf("%s must be host:port, such as 127.0.0.1:8080, not %q", address.name, address.value))
		}
	}
	if s.PublicURL != "" {
		u, err := url.Parse(s.PublicURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			mistakes = append(mistakes, fmt.Errorf("--public-url (CLIENTINTEL_PUBLIC_URL) must be an address such as https://intelligence.example.com, not %q", s.PublicURL))
		}
	}
	switch s.ResponseValidation {
	case Enforce, Sample, Off:
	default:
		mistakes = append(mistakes, fmt.Errorf("CLIENTINTEL_RESPONSE_VALIDATION must be enforce, sample or off, not %q", s.ResponseValidation))
	}
	if s.CursorSecret != "" && len(s.CursorSecret) < 32 {
		mistakes = append(mistakes, errors.New("CLIENTINTEL_CURSOR_SECRET must have at least 32 characters"))
	}
	if s.DrainDelay < 0 {
		mistakes = append(mistakes, errors.New("--drain-delay (CLIENTINTEL_DRAIN_DELAY) must not be negative"))
	}
	// The limiter counts the rolling hour in the log.
	return errors.Join(mistakes...)
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
