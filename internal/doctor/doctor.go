package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// State is the outcome of a check.
type State string

// The states. Only Wrong makes an examination fail.
const (
	OK      State = "ok"
	Warning State = "warning"
	Wrong   State = "wrong"
	Unknown State = "unknown"
)

// Finding is the result of one check.
type Finding struct {
	Name    string `json:"check"`
	State   State  `json:"state"`
	Message string `json:"says"`
	// Advice is what to do, where something should be done.
	Advice string `json:"advice,omitempty"`
}

// Database is what is examined.
type Database struct {
	OwnerURL  string
	ServerURL string
	// ReplicaURL is the server's login to its standby; empty: it has none.
	ReplicaURL string
	// MaxLag is how far behind the standby may be.
	MaxLag time.Duration
	// Dir holds the data, if it is on this machine; empty: not known.
	Dir string
}

// checkTimeout bounds each check, so that a database that hangs is reported.
const checkTimeout = 15 * time.Second

// checker makes the checks over one connection of the owner's.
type checker struct {
	conn     *pgx.Conn
	database Database
	report   func(Finding)
	// owns is set if the login may read everything that the owner may.
	owns bool
	// migrated is set if the database has a schema to examine.
	migrated bool
	// newer is set if that schema is a later release's.
	newer bool
	// err is the first failed query of the running check.
	err error
}

// Examine makes every check and calls report with each finding.
func Examine(ctx context.Context, d Database, report func(Finding)) {
	conn, err := connect(ctx, d.OwnerURL)
	if err != nil && d.OwnerURL != d.ServerURL {
		report(Finding{"database/owner", Unknown, err.Error(), "What only the owner sees is not examined: is DATABASE_OWNER_URL right?"})
		conn, err = connect(ctx, d.ServerURL)
	}
	if err != nil {
		report(Finding{"database/reachable", Wrong, err.Error(),
			"Is the server running, and are DATABASE_URL, DATABASE_OWNER_URL and the firewall right?"})
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	report(Finding{"database/reachable", OK, "the database answers", ""})
	c := &checker{conn: conn, database: d, report: report}
	c.readOwns(ctx)
	c.run(ctx, "database/version", c.version)
	c.run(ctx, "database/encoding", c.encoding)
	c.run(ctx, "database/extensions", c.extensions)
	c.run(ctx, "database/primary", c.primary)
	c.run(ctx, "database/clock", c.clock)
	c.run(ctx, "database/durability", c.durability)
	c.run(ctx, "database/connections", c.connections)
	c.run(ctx, "database/maintenance", c.autovacuum)
	c.run(ctx, "database/disk", c.disk)
	if d.ReplicaURL != "" {
		c.run(ctx, "database/standby", c.standby)
	}
	c.run(ctx, "schema/migrations", c.migrations)
	if !c.migrated {
		return
	}
	c.run(ctx, "schema/objects", c.objects)
	c.runAsOwner(ctx, "schema/rows", c.rows)
	c.run(ctx, "roles/server_role", c.serverRole)
	c.run(ctx, "roles/server_login", c.serverLogin)
	c.runAsOwner(ctx, "measurement/clients", c.clients)
	c.run(ctx, "search/folding", c.textFolding)
	c.runAsOwner(ctx, "search/backlog", c.backlog)
	c.runAsOwner(ctx, "request_log/partitions", c.requestLogPartitions)
	c.runAsOwner(ctx, "request_log/future", c.futureRequests)
}

// connect uses no named prepared statements, which a pooler may lose.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := postgres.ParseURL(url)
	if err != nil {
		return nil, err
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	return connectAs(ctx, config)
}

func connectAs(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return conn, nil
}

// run makes one check. It reports Unknown if a query of the check fails.
func (c *checker) run(ctx context.Context, name string, check func(context.Context) Finding) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	c.err = nil
	f := check(ctx)
	if c.err != nil {
		f = Finding{State: Unknown, Message: "could not be examined: " + c.err.Error()}
	}
	f.Name = name
	c.report(f)
}

// readOwns finds out whether the login may read everything that the owner may. The
// server's login can read the catalog, which most checks need.
func (c *checker) readOwns(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	ownership, _ := postgres.ReadOwnership(ctx, c.conn)
	c.owns = ownership.Owns // false where it cannot be found out
	// Behind a pooler, SET ROLE would stay for other sessions; its login has the role's rights.
	if pooled, _ := postgres.CheckPooler(ctx, c.conn); !c.owns && !pooled {
		_, _ = c.conn.Exec(ctx, "SET ROLE "+postgres.ServerRole) // if it fails, the checks report what they may not read
	}
}

// runAsOwner makes a check only with the owner's login.
func (c *checker) runAsOwner(ctx context.Context, name string, check func(context.Context) Finding) {
	if c.owns {
		c.run(ctx, name, check)
	} else {
		c.report(Finding{name, Unknown, "only the owner's login sees this", "Set DATABASE_OWNER_URL, or run it where that is set."})
	}
}

// fail ends a check that cannot be made.
func (c *checker) fail(err error) Finding {
	c.err = err
	return Finding{}
}

// queryRow reads one row, unless an earlier query of the check has failed.
func (c *checker) queryRow(ctx context.Context, sql string, args []any, into ...any) {
	if c.err == nil {
		c.err = c.conn.QueryRow(ctx, sql, args...).Scan(into...)
	}
}

// queryNames reads one column, unless an earlier query of the check has failed.
func (c *checker) queryNames(ctx context.Context, sql string, args ...any) (names []string) {
	if c.err == nil {
		rows, _ := c.conn.Query(ctx, sql, args...) // CollectRows returns its error
		names, c.err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	return names
}

func ok(message string, args ...any) Finding {
	return Finding{State: OK, Message: fmt.Sprintf(message, args...)}
}

func warning(advice, message string, args ...any) Finding {
	return Finding{State: Warning, Message: fmt.Sprintf(message, args...), Advice: advice}
}

func wrong(advice, message string, args ...any) Finding {
	return Finding{State: Wrong, Message: fmt.Sprintf(message, args...), Advice: advice}
}
