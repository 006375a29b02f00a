package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
	"github.com/clientintel/clientintel/sql/roles"
)

// Database is one test's own.
type Database struct {
	// OwnerURL logs in as the owner of the schema; no superuser.
	OwnerURL string
	// ServerURL logs in as what may take the server's role and nothing else.
	ServerURL string
	// SuperuserURL logs in as the cluster's administrator, to break things.
	SuperuserURL string
	Name         string
}

// ClusterVariable names the URL of a superuser's login, where tests are not to start a
// cluster of their own.
const ClusterVariable = "CLIENTINTEL_TEST_DATABASE_URL"

const owner = embedded.Owner

var (
	prepare  sync.Once
	admin    string // the superuser's URL
	template string
	failed   error
	count    atomic.Int64
)

// New clones the template for this test alone and drops the clone afterwards.
func New(t testing.TB) *Database {
	t.Helper()
	if os.Getenv("CLIENTINTEL_TEST_DISTRIBUTED") != "" {
		return newDistributed(t)
	}
	ctx := context.Background()
	prepare.Do(func() { failed = setUp(ctx) })
	if failed != nil {
		t.Fatalf("preparing the test database: %v", failed)
	}
	name := fmt.Sprintf("t%d_%d", os.Getpid(), count.Add(1))
	require.NoError(t, administer(ctx, fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s OWNER %s STRATEGY file_copy", name, template, owner)))
	t.Cleanup(func() {
		check.NoError(t, administer(ctx, fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name)), "dropping the test's database")
	})
	return &Database{
		Name: name, SuperuserURL: inDatabase(admin, "", name), OwnerURL: inDatabase(admin, owner, name),
		ServerURL: inDatabase(admin, embedded.Login, name),
	}
}

// NewEmpty makes an empty database that the owner owns, for tests of migrations.
func NewEmpty(t testing.TB) *Database {
	t.Helper()
	d := New(t)
	ctx := context.Background()
	require.NoError(t, administer(ctx, "DROP DATABASE "+d.Name))
	require.NoError(t, administer(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s", d.Name, owner)))
	return d
}

// Connect logs in until the test ends.
func Connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	require.NoError(t, err)
	postgres.RegisterTypes(conn)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Exec runs a statement on a connection or in a transaction.
func Exec(t testing.TB, on interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
}, sql string, args ...any,
) {
	t.Helper()
	_, err := on.Exec(context.Background(), sql, args...)
	require.NoError(t, err, sql)
}

// Await waits until something has happened.
func Await(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Exec runs a statement as the administrator, triggers and rules aside if it
// says so: tests break the database by hand with it.
func (d *Database) Exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.SuperuserURL)
	require.NoError(t, err)
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql, args...)
	require.NoError(t, err, sql)
}

// Hold keeps readers from a table until release, or from its shards where it is
// distributed.
func (d *Database) Hold(t testing.TB, table string) (release func()) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.OwnerURL)
	require.NoError(t, err)
	hold := "LOCK TABLE %s IN ACCESS EXCLUSIVE MODE"
	if os.Getenv("CLIENTINTEL_TEST_DISTRIBUTED") != "" {
		var distributed bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = $1::text::regclass)",
			table).Scan(&distributed); err != nil {
			t.Fatalf("looking up %s: %v", table, err)
		}
		if distributed { // Citus locks no shards by LOCK TABLE
			hold = "ALTER TABLE %s ADD CONSTRAINT held CHECK (true) NOT VALID"
		}
	}
	for _, statement := range []string{"BEGIN", fmt.Sprintf(hold, table)} {
		_, err = conn.Exec(ctx, statement)
		require.NoError(t, err, table)
	}
	return func() { _ = conn.Close(context.WithoutCancel(ctx)) }
}

// WaitingReads counts the servers' statements that wait for a table. Where tables are
// distributed, it is a worker that waits.
func (d *Database) WaitingReads(t testing.TB) (n int) {
	t.Helper()
	d.Query(t, &n, `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE 'clientintel %'
			AND (wait_event_type = 'Lock' OR state = 'active' AND clock_timestamp() - query_start > interval '1 second')`)
	return n
}

// Value reads one value, of a database or of a server's seed.
func Value[T any](t testing.TB, of interface {
	Query(t testing.TB, into any, sql string, args ...any)
}, sql string, args ...any) (value T) {
	t.Helper()
	of.Query(t, &value, sql, args...)
	return value
}

// Query reads one value as the administrator, the only login that sees the others' statements.
func (d *Database) Query(t testing.TB, into any, sql string, args ...any) {
	t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.SuperuserURL)
	require.NoError(t, err)
	defer conn.Close(ctx)
	require.NoError(t, conn.QueryRow(ctx, sql, args...).Scan(into), sql)
}

// setUp starts the cluster and migrates the template, named after a hash of the
// migrations: rebuilt exactly when they change.
func setUp(ctx context.Context) error {
	admin = os.Getenv(ClusterVariable)
	if admin == "" {
		cluster, err := startOwnCluster(ctx)
		if err != nil {
			return err
		}
		admin = cluster.URL(embedded.Superuser, "postgres")
	}
	template = "template_" + migrationsHash()
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// Several test processes may share a named server.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(815)"); err != nil {
		return err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", template).Scan(&exists); err != nil {
		return err
	}
	if exists {
		return nil
	}
	building := template + "_new"
	for _, statement := range []string{
		roles.Create,
		fmt.Sprintf(`DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%[1]s') THEN CREATE ROLE %[1]s LOGIN; END IF;
		END $$`, embedded.Login),
		// As on a hosted PostgreSQL.
		fmt.Sprintf("ALTER ROLE %s NOBYPASSRLS NOCREATEROLE", owner),
		fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", building),
		fmt.Sprintf("CREATE DATABASE %s OWNER %s", building, owner),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	if _, err := postgres.Migrate(ctx, inDatabase(admin, owner, building), migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	for _, statement := range []string{
		fmt.Sprintf("GRANT %s TO %s", embedded.ServerRole, embedded.Login),
		// On a busy machine a connection that was closed ends later than RENAME waits, 5 s.
		fmt.Sprintf("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '%s'", building),
		fmt.Sprintf("ALTER DATABASE %s RENAME TO %s", building, template),
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// startOwnCluster starts a cluster that ends with this process. Directories of processes
// that are gone are cleared away first.
func startOwnCluster(ctx context.Context) (*embedded.Cluster, error) {
	base := filepath.Join(os.TempDir(), "clientintel-test-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(base, 0o755); err != nil {
		return nil, err
	}
	old, _ := os.ReadDir(base)
	for _, entry := range old {
		pid, err := strconv.Atoi(entry.Name())
		if err == nil && syscall.Kill(pid, 0) != nil {
			_ = os.RemoveAll(filepath.Join(base, entry.Name()))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return StartCluster(ctx, filepath.Join(base, strconv.Itoa(os.Getpid())))
}

// StartCluster starts PostgreSQL with the settings that tests run under.
func StartCluster(ctx context.Context, dir string) (*embedded.Cluster, error) {
	return embedded.Open(ctx, embedded.Options{
		Dir:    dir,
		BinDir: os.Getenv("CLIENTINTEL_POSTGRES_BIN"), // of make test PG_MAJOR=…
		Log:    slog.New(slog.DiscardHandler),
		// Tests lose nothing in a power cut. Several packages run at once.
		Settings: map[string]string{"fsync": "off", "max_connections": "1000"},
	})
}

func administer(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// PostgreSQL clones a template only while no other session uses it.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(816)"); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	return err
}

// inDatabase is a URL with another user (if given) and database.
func inDatabase(base, user, database string) string {
	u, err := url.Parse(base)
	if err != nil {
		panic(err)
	}
	u.Path = "/" + database
	if user != "" {
		query := u.Query()
		if query.Has("user") {
			query.Set("user", user)
		} else {
			password, _ := u.User.Password()
			u.User = url.UserPassword(user, password)
		}
		u.RawQuery = query.Encode()
	}
	return u.String()
}

func migrationsHash() string {
	h := sha256.New()
	_ = fs.WalkDir(migrations.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".sql") {
			content, _ := migrations.Files.ReadFile(path)
			h.Write(content)
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}
