package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"
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
}

// checkTimeout bounds each check, so that a database that hangs is reported.
const checkTimeout = 15 * time.Second

// checker makes the checks over one connection of the owner's.
type checker struct {
	conn     *pgx.Conn
	database Database
	report   func(Finding)
	// err is the first failed query of the running check.
	err error
}

// Examine makes every check and calls report with each finding.
func Examine(ctx context.Context, d Database, report func(Finding)) {
	if listed := listedHosts(d.ServerURL, d.OwnerURL); len(listed) > 1 {
		c := &checker{database: d, report: report}
		c.run(ctx, "database/hosts", func(ctx context.Context) Finding { return c.hosts(ctx, listed) })
	}
	conn, err := connect(ctx, d.OwnerURL, exec)
	if err != nil && d.OwnerURL != d.ServerURL {
		report(Finding{"database/owner", Unknown, err.Error(), "What only the owner sees is not examined: is DATABASE_OWNER_URL right?"})
		conn, err = connect(ctx, d.ServerURL, exec)
	}
	if err != nil {
		report(Finding{"database/reachable", Wrong, err.Error(),
			"Is the server running, and are DATABASE_URL, DATABASE_OWNER_URL and the firewall right?"})
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	c := &checker{conn: conn, database: d, report: report}
	c.run(ctx, "database/reachable", c.server)
	c.run(ctx, "database/archive", c.archive)
	c.run(ctx, "database/transactions", c.transactions)
	if d.ReplicaURL != "" {
		c.run(ctx, "database/standby", c.standby)
	}
	if state := c.run(ctx, "schema/migrations", c.migrations); state != OK && state != Warning {
		return // the checks after it query tables of a complete schema
	}
	c.run(ctx, "schema/triggers", c.triggers)
	c.run(ctx, "roles/public_schema", c.publicSchema)
	c.run(ctx, "roles/server_login", c.serverLogin)
	// The server's login sees no client's rows.
	ownership, _ := postgres.ReadOwnership(ctx, conn) // no owner where it cannot be found out
	if !ownership.Owns {
		report(Finding{"measurement/clients", Unknown, "only the owner's login sees this", "Set DATABASE_OWNER_URL, or run it where that is set."})
		return
	}
	c.run(ctx, "measurement/clients", c.clients)
	c.run(ctx, "request_log/future", c.futureRequests)
}

// exec uses no named prepared statements, which a pooler may lose; prepares is the mode of
// the URL, as the server uses it.
const (
	exec     = pgx.QueryExecModeExec
	prepares = pgx.QueryExecMode(0)
)

func connect(ctx context.Context, url string, mode pgx.QueryExecMode) (*pgx.Conn, error) {
	config, err := postgres.ParseURL(url)
	if err != nil {
		return nil, err
	}
	if mode != prepares {
		config.DefaultQueryExecMode = mode
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return conn, nil
}

// run makes one check. It reports Unknown if a query of the check fails.
func (c *checker) run(ctx context.Context, name string, check func(context.Context) Finding) State {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	c.err = nil
	f := check(ctx)
	if c.err != nil {
		f = Finding{State: Unknown, Message: "could not be examined: " + c.err.Error()}
	}
	f.Name = name
	c.report(f)
	return f.State
}

// fail ends a check that cannot be made.
func (c *checker) fail(err error) Finding {
	c.err = err
	return Finding{}
}

// names reads one column.
func (c *checker) names(ctx context.Context, sql string, args ...any) (names []string) {
	rows, _ := c.conn.Query(ctx, sql, args...) // CollectRows returns its error
	names, c.err = pgx.CollectRows(rows, pgx.RowTo[string])
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

// shorten names the first, and how many more there are.
func shorten(names []string) string {
	const shown = 6
	if more := len(names) - shown; more > 0 {
		return strings.Join(names[:shown], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(names, ", ")
}
