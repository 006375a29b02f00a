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

// Server is how requests are answered.
type Server struct {
	// Listen is the API's address (CLIENTINTEL_LISTEN).
	Listen string
	// OpsListen is the address of /livez, /readyz and /metrics (CLIENTINTEL_OPS_LISTEN).
	OpsListen string
	// PublicURL is the address that guides and contract name (CLIENTINTEL_PUBLIC_URL).
	// Empty: they name none; a reader's own Host header is never believed.
	PublicURL string
	// ResponseValidation is CLIENTINTEL_RESPONSE_VALIDATION.
	ResponseValidation ResponseValidation
	// PoolSize bounds the connections that read (CLIENTINTEL_POOL_SIZE).
	PoolSize int
	// StatementTimeout bounds each statement (CLIENTINTEL_STATEMENT_TIMEOUT).
	StatementTimeout time.Duration
	// BasisMaxIDs bounds the interviews that a basis names (CLIENTINTEL_BASIS_MAX_IDS).
	BasisMaxIDs int
	// CursorSecret seals cursors (CLIENTINTEL_CURSOR_SECRET). Empty: the one in the database.
	CursorSecret string
	// LogRetention is how long request rows are kept (CLIENTINTEL_LOG_RETENTION).
	LogRetention time.Duration
	// ReplicaURL is the server's login to a standby that answers are read from
	// (CLIENTINTEL_REPLICA_URL). Empty: they are read from the primary. Keys, quota
	// and log stay with the primary in any case.
	ReplicaURL string
	// ReplicaMaxLag is how far behind the standby may be (CLIENTINTEL_REPLICA_MAX_LAG).
	ReplicaMaxLag time.Duration
	// DrainTimeout is how long requests in flight may take once the server is asked to stop.
	DrainTimeout time.Duration
	// Traces tells a collector of each request: OTEL_EXPORTER_OTLP_ENDPOINT, or
	// its form for traces, names one, and nothing switches it off.
	Traces bool
	// Migrate brings the schema up to date before serving.
	Migrate bool
}

// DatabaseFromEnv reads what flags may then override.
func DatabaseFromEnv(getenv func(string) string) Database {
	return Database{
		URL:      getenv("DATABASE_URL"),
		OwnerURL: getenv("DATABASE_OWNER_URL"),
		DataDir:  orDefault(getenv("CLIENTINTEL_DATA_DIR"), DefaultDataDir(getenv)),
		BinDir:   getenv("CLIENTINTEL_POSTGRES_BIN"),
	}
}

// DefaultDataDir is where an embedded database lives when nobody says where.
// Root's own directories are closed to the account PostgreSQL runs as.
func DefaultDataDir(getenv func(string) string) string {
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

// Embedded tells whether the data lives in an embedded PostgreSQL.
func (d Database) Embedded() bool { return d.URL == "" && d.OwnerURL == "" }

// Check says what is wrong.
func (d Database) Check() error {
	if d.URL == "" && d.OwnerURL != "" {
		return errors.New("--owner-url (DATABASE_OWNER_URL) is set without --database-url (DATABASE_URL): set both, or neither for an embedded database")
	}
	return nil
}

// ServerFromEnv reads what flags may then override. All mistakes come together.
func ServerFromEnv(getenv func(string) string) (Server, error) {
	var faults []error
	number := func(name string, fallback int) int {
		text := getenv(name)
		if text == "" {
			return fallback
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			faults = append(faults, fmt.Errorf("%s must be a whole number from 1, not %q", name, text))
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
			faults = append(faults, fmt.Errorf("%s must be a duration such as 10s or 24h, not %q", name, text))
		}
		return d
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
		LogRetention:       duration("CLIENTINTEL_LOG_RETENTION", 7*24*time.Hour),
		ReplicaURL:         getenv("CLIENTINTEL_REPLICA_URL"),
		ReplicaMaxLag:      duration("CLIENTINTEL_REPLICA_MAX_LAG", 10*time.Second),
		DrainTimeout:       duration("CLIENTINTEL_DRAIN_TIMEOUT", 20*time.Second),
		Migrate:            true,
	}
	s.Traces = (getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "") &&
		getenv("OTEL_SDK_DISABLED") != "true" && getenv("OTEL_TRACES_EXPORTER") != "none"
	if protocol := orDefault(getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), getenv("OTEL_EXPORTER_OTLP_PROTOCOL")); s.Traces &&
		protocol != "" && protocol != "http/protobuf" {
		faults = append(faults, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not %q", protocol))
	}
	return s, errors.Join(faults...)
}

// Check says everything that is wrong, together.
func (s Server) Check() error {
	var faults []error
	for _, address := range []struct{ name, value string }{
		{"--listen (CLIENTINTEL_LISTEN)", s.Listen}, {"--ops-listen (CLIENTINTEL_OPS_LISTEN)", s.OpsListen},
	} {
		if _, _, err := net.SplitHostPort(address.value); err != nil {
			faults = append(faults, fmt.Errorf("%s must be host:port, such as 127.0.0.1:8080, not %q", address.name, address.value))
		}
	}
	if s.PublicURL != "" {
		u, err := url.Parse(s.PublicURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
			faults = append(faults, fmt.Errorf("--public-url (CLIENTINTEL_PUBLIC_URL) must be an address such as https://intelligence.example.com, not %q", s.PublicURL))
		}
	}
	switch s.ResponseValidation {
	case Enforce, Sample, Off:
	default:
		faults = append(faults, fmt.Errorf("CLIENTINTEL_RESPONSE_VALIDATION must be enforce, sample or off, not %q", s.ResponseValidation))
	}
	if s.CursorSecret != "" && len(s.CursorSecret) < 32 {
		faults = append(faults, errors.New("CLIENTINTEL_CURSOR_SECRET must have at least 32 characters"))
	}
	// The rolling hour itself lives in the log.
	if s.LogRetention < 2*time.Hour {
		faults = append(faults, errors.New("CLIENTINTEL_LOG_RETENTION must be at least 2h: the log is the rate limiter's window"))
	}
	return errors.Join(faults...)
}

func orDefault(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
