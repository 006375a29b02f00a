package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/fairqueue"
)

// PoolSettings size a pool.
type PoolSettings struct {
	URL  string
	Size int32
	// Share is how many connections one client may take; zero: half of them.
	Share int
	// StatementTimeout bounds each statement in the database itself.
	StatementTimeout time.Duration
	// AcquireTimeout bounds the wait for a free connection.
	AcquireTimeout time.Duration
	// ReadTimeout bounds all reading for one response by our own clock: a database
	// that has frozen, or a network that is cut, ends no statement. Zero: only the
	// caller's context bounds it.
	ReadTimeout time.Duration
	// LockTimeout bounds the wait for a lock that a migration or an operator
	// holds. Zero: the statement's bound is the only one.
	LockTimeout time.Duration
	// MaxLag is how far behind a standby may be and still be read; zero for a pool
	// on the primary.
	MaxLag time.Duration
	// Application names the connections in pg_stat_activity.
	Application string
	// Roles are those of a command, of which the pool takes one; none: ServerRole.
	Roles []string
}

// Pool is a bounded set of connections.
type Pool struct {
	*pgxpool.Pool
	acquireTimeout time.Duration
	readTimeout    time.Duration
	// statementTimeout goes along with each snapshot: a pooler's sessions are
	// shared with other pools.
	statementTimeout string
	maxLag           time.Duration
	// slots are the connections, taken by clients in rotation; a client takes half of
	// them at most.
	slots *fairqueue.Slots
	lag   atomic.Int64 // nanoseconds
	// distributed reports whether tables are distributed over workers, as the newest
	// connection found it.
	distributed *atomic.Bool
}

// configureTimeout bounds the statements that set up a new connection.
const configureTimeout = 5 * time.Second

// OpenPool connects at once, so that a wrong URL or password is an error here.
func OpenPool(ctx context.Context, s PoolSettings) (*Pool, error) {
	if _, err := ParseURL(s.URL); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(s.URL)
	if err != nil {
		return nil, fmt.Errorf("the database URL's pool settings cannot be read")
	}
	config.MaxConns = s.Size
	config.MinConns = 0
	config.MaxConnIdleTime = 5 * time.Minute
	config.MaxConnLifetime = time.Hour
	config.MaxConnLifetimeJitter = 10 * time.Minute
	config.HealthCheckPeriod = 15 * time.Second
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 5 * time.Second
	}
	maps.Copy(config.ConnConfig.RuntimeParams, connectionSettings)
	config.BeforeConnect = limitCancelRequests
	distributed := &atomic.Bool{}
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, configureTimeout)
		defer cancel()
		RegisterTypes(conn)
		// First, as a default of the database could end any other statement.
		if err := configureSession(ctx, conn, s); err != nil {
			return err
		}
		is, err := IsDistributed(ctx, conn)
		distributed.Store(is)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("opening the database pool: %w", err)
	}
	p := &Pool{
		Pool: pool, acquireTimeout: s.AcquireTimeout, readTimeout: s.ReadTimeout, maxLag: s.MaxLag,
		statementTimeout: milliseconds(s.StatementTimeout),
		slots:            fairqueue.NewSlots(int(s.Size), cmp.Or(s.Share, max(1, int(s.Size)/2)), maxWaitingOfClient),
		distributed:      distributed,
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return p, nil
}

// configureSession sets the role and the settings of a new connection. They are
// session statements, which sqlc cannot type.
func configureSession(ctx context.Context, conn *pgx.Conn, s PoolSettings) error {
	if len(s.Roles) > 0 {
		if err := prepareForCommand(ctx, conn, nil, s.Roles); err != nil {
			return err
		}
	} else {
		if pooled, err := CheckPooler(ctx, conn); pooled || err != nil {
			return err
		}
		if _, err := conn.Exec(ctx, "SET ROLE "+ServerRole); err != nil {
			return fmt.Errorf("taking the role %s: %w", ServerRole, err)
		}
	}
	return set(ctx, conn, slices.Concat(serverSettings, []setting{
		{"application_name", s.Application},
		{"statement_timeout", milliseconds(s.StatementTimeout)},
		{"lock_timeout", milliseconds(s.LockTimeout)},
	}))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

// RegisterTypes scans timestamps as UTC, whatever the process's zone, sends uuids in
// binary, which by default go through their text, and copies JSON that is scanned into
// json.RawMessage, which by default is parsed.
func RegisterTypes(conn *pgx.Conn) {
	pgxuuid.Register(conn.TypeMap())
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "jsonb", OID: pgtype.JSONBOID,
		Codec: &pgtype.JSONBCodec{Marshal: json.Marshal, Unmarshal: unmarshal},
	})
}

func unmarshal(data []byte, to any) error {
	if raw, ok := to.(*json.RawMessage); ok {
		*raw = slices.Clone(data) // the connection's
		return nil
	}
	return json.Unmarshal(data, to)
}

// Distributed reports whether tables are distributed over workers.
func (p *Pool) Distributed() bool { return p.distributed.Load() }

// Waiting counts the requests that wait for a connection.
func (p *Pool) Waiting() int { return p.slots.Waiting() }

// maxWaitingOfClient bounds the requests of one client that wait for a connection.
const maxWaitingOfClient = 64

// acquire takes a connection for a client, and waits at most acquireTimeout for it.
func (p *Pool) acquire(ctx context.Context, client uuid.UUID) (*pgxpool.Conn, error) {
	if err := p.slots.Acquire(ctx, client, p.acquireTimeout); err != nil {
		return nil, apierror.Unavailable(fmt.Errorf("waiting for a connection: %w", err))
	}
	conn, err := p.Acquire(ctx)
	if err != nil {
		p.slots.Release(client)
		return nil, fmt.Errorf("taking a connection: %w", err)
	}
	return conn, nil
}
