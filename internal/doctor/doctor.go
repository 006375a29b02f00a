package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// State is how something was found.
type State string

// The states. Only Wrong makes an examination fail.
const (
	OK      State = "ok"
	Warning State = "warning"
	Wrong   State = "wrong"
	Unknown State = "unknown"
)

// Finding is one thing examined.
type Finding struct {
	Name  string `json:"check"`
	State State  `json:"state"`
	Says  string `json:"says"`
	// Advice is what to do, where something should be done.
	Advice string `json:"advice,omitempty"`
}

// Database is what is examined.
type Database struct {
	OwnerURL  string
	ServerURL string
	// Dir is where the data lies, if it is on this machine; empty: not known.
	Dir string
}

// patience bounds each statement: an ailing database must not hold up its doctor.
const patience = 15 * time.Second

// examination is one visit, as the owner.
type examination struct {
	conn     *pgx.Conn
	database Database
	show     func(Finding)
	// migrated tells whether there is a schema to look at.
	migrated bool
}

// Examine looks at everything and calls show with each finding.
func Examine(ctx context.Context, d Database, show func(Finding)) {
	conn, err := connect(ctx, d.OwnerURL)
	if err != nil {
		show(Finding{"database/reachable", Wrong, err.Error(),
			"Is the server running, and are DATABASE_URL, DATABASE_OWNER_URL and the firewall right?"})
		return
	}
	defer conn.Close(context.WithoutCancel(ctx))
	show(Finding{"database/reachable", OK, "the owner's login connects", ""})
	e := &examination{conn: conn, database: d, show: show}
	e.look(ctx, "database/version", e.version)
	e.look(ctx, "database/encoding", e.encoding)
	e.look(ctx, "database/extensions", e.extensions)
	e.look(ctx, "database/primary", e.primary)
	e.look(ctx, "database/clock", e.clock)
	e.look(ctx, "database/durability", e.durability)
	e.look(ctx, "database/connections", e.connections)
	e.look(ctx, "database/upkeep", e.autovacuum)
	e.look(ctx, "database/disk", e.disk)
	e.look(ctx, "schema/migrations", e.migrations)
	if !e.migrated {
		return
	}
	e.look(ctx, "schema/indexes", e.indexes)
	e.look(ctx, "roles/server_role", e.serverRole)
	e.look(ctx, "roles/server_login", e.serverLogin)
	e.look(ctx, "roles/row_security", e.rowSecurity)
	e.look(ctx, "measurement/guards", e.guards)
	e.look(ctx, "measurement/clients", e.clients)
	e.look(ctx, "search/folding", e.folding)
	e.look(ctx, "search/backlog", e.backlog)
	e.look(ctx, "request_log/partitions", e.partitions)
}

func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// The error would quote the URL, which may hold a password.
		return nil, fmt.Errorf("the database URL cannot be read: expected postgres://user:password@host:port/database, or key=value settings")
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return conn, nil
}

// look examines one thing. What cannot be examined is told, and not guessed.
func (e *examination) look(ctx context.Context, name string, do func(context.Context) (Finding, error)) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	f, err := do(ctx)
	if err != nil {
		f = Finding{State: Unknown, Says: "could not be examined: " + err.Error()}
	}
	f.Name = name
	e.show(f)
}

// ask reads one row.
func (e *examination) ask(ctx context.Context, sql string, args []any, into ...any) error {
	return e.conn.QueryRow(ctx, sql, args...).Scan(into...)
}

// list reads one column.
func (e *examination) list(ctx context.Context, sql string, args ...any) ([]string, error) {
	rows, err := e.conn.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func fine(says string, args ...any) (Finding, error) {
	return Finding{State: OK, Says: fmt.Sprintf(says, args...)}, nil
}

func warning(advice, says string, args ...any) (Finding, error) {
	return Finding{State: Warning, Says: fmt.Sprintf(says, args...), Advice: advice}, nil
}

func wrong(advice, says string, args ...any) (Finding, error) {
	return Finding{State: Wrong, Says: fmt.Sprintf(says, args...), Advice: advice}, nil
}
