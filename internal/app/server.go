package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/httpapi"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/mcp"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/ops"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/synthesis"
	"github.com/clientintel/clientintel/internal/tracing"
)

// Server is a wired server, not yet listening.
type Server struct {
	// Handler answers the API, OpsHandler the operator.
	Handler    http.Handler
	OpsHandler http.Handler

	settings config.Server
	log      *slog.Logger
	pool     *postgres.Pool
	door     *postgres.Pool
	streams  *postgres.Pool
	upkeep   *postgres.Pool // always the primary's
	limiter  *ratelimit.Limiter
	watch    *measurement.Watch
	tracer   *tracing.Tracer // nil: no collector is named
}

// Version is the release, set when a release is built.
var Version = "development"

const (
	// doorTimeout bounds a statement at the door.
	doorTimeout = 3 * time.Second
	// lockTimeout bounds the wait for a lock that somebody else holds.
	lockTimeout = 2 * time.Second
	// closeTimeout bounds the leave that is taken of the database.
	closeTimeout = 3 * time.Second
)

// NewServer wires a server on a migrated database.
func NewServer(ctx context.Context, databaseURL string, s config.Server, log *slog.Logger) (*Server, error) {
	server := &Server{settings: s, log: log, watch: measurement.NewWatch(databaseURL, log)}
	if err := server.openPools(ctx, databaseURL); err != nil {
		server.closePools()
		return nil, err
	}
	if err := server.wire(ctx); err != nil {
		server.closeTracer()
		server.closePools()
		return nil, err
	}
	return server, nil
}

// openPools opens connections for each kind of work, so that none holds up
// another. What only reads may read from a replica.
func (s *Server) openPools(ctx context.Context, databaseURL string) error {
	reading := postgres.PoolSettings{URL: databaseURL, AcquireTimeout: 2 * time.Second, LockTimeout: lockTimeout}
	if s.settings.ReplicaURL != "" {
		reading.URL, reading.MaxLag = s.settings.ReplicaURL, s.settings.ReplicaMaxLag
	}
	read := reading
	read.Application, read.Size = "clientintel read", int32(s.settings.PoolSize)
	read.StatementTimeout, read.ReadTimeout = s.settings.StatementTimeout, s.settings.StatementTimeout+time.Second
	// Answers that are read while they are sent: their callers may be slow.
	stream := reading
	stream.Application, stream.Size, stream.StatementTimeout = "clientintel stream", 2, 5*time.Minute
	stream.AcquireTimeout = 3 * time.Second
	for _, p := range []struct {
		to       **postgres.Pool
		settings postgres.PoolSettings
	}{
		{&s.pool, read},
		{&s.streams, stream},
		{&s.door, postgres.PoolSettings{
			URL: databaseURL, Application: "clientintel door", Size: ratelimit.Connections(), StatementTimeout: doorTimeout,
			AcquireTimeout: 2 * time.Second, LockTimeout: lockTimeout,
		}},
		{&s.upkeep, postgres.PoolSettings{
			URL: databaseURL, Application: "clientintel upkeep", Size: 1, StatementTimeout: s.settings.StatementTimeout,
			AcquireTimeout: 2 * time.Second, LockTimeout: lockTimeout,
		}},
	} {
		var err error
		if *p.to, err = postgres.OpenPool(ctx, p.settings); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) wire(ctx context.Context) error {
	secret, err := s.cursorSecret(ctx)
	if err != nil {
		return err
	}
	if err := search.Check(ctx, s.pool); err != nil {
		return err
	}
	metrics := ops.NewMetrics()
	metrics.WatchPool("read", s.pool)
	metrics.WatchPool("door", s.door)
	metrics.WatchPool("stream", s.streams)

	metrics.Count("clientintel_measurement_audits_total", "Background audits of clients.", s.watch.Audits)
	metrics.Count("clientintel_measurement_audits_differing_total", "Background audits that found a difference.", s.watch.Differing)
	metrics.Gauge("clientintel_measurement_broken_clients", "Canonical clients refused until they are rebuilt.", s.watch.Broken)
	metrics.Gauge("clientintel_measurement_audit_last_timestamp_seconds", "When the last background audit ended.", s.watch.Last)
	metrics.Gauge("clientintel_measurement_audit_last_duration_seconds", "How long the last background audit took.", s.watch.Took)

	ledger := measurement.NewLedger(s.pool, s.settings.BasisMaxIDs)
	s.limiter = ratelimit.New(s.door)
	var trace func(tracing.Request)
	if s.settings.Traces {
		if s.tracer, err = tracing.Open(ctx, Version, s.log); err != nil {
			s.limiter.Close()
			return err
		}
		trace = s.tracer.Record
	}
	edge, err := httpapi.New(httpapi.Deps{
		Limiter:    s.limiter,
		Interviews: interview.New(ledger),
		Campaigns:  campaign.New(ledger),
		Synthesis:  synthesis.New(ledger),
		Analytics:  analytics.New(ledger, measurement.NewLedger(s.streams, s.settings.BasisMaxIDs)),
		Search:     search.New(ledger, search.DefaultLimits()),
		Cursors:    page.NewSealer(secret),
		Validation: s.settings.ResponseValidation,
		PublicURL:  s.settings.PublicURL,
		Observe:    metrics.Observe,
		Trace:      trace,
		Log:        s.log,
	})
	if err != nil {
		s.limiter.Close()
		return err
	}
	metrics.Count("clientintel_responses_checked_total", "Responses held against the contract.", edge.CheckedResponses)
	metrics.Count("clientintel_responses_broken_total", "Responses that broke the contract.", edge.BrokenResponses)
	agents, err := mcp.New(mcp.Deps{Edge: edge, PublicURL: s.settings.PublicURL, Version: Version})
	if err != nil {
		s.limiter.Close()
		return err
	}
	if s.Handler, err = edge.Handler(agents); err != nil {
		s.limiter.Close()
		return err
	}
	s.OpsHandler = ops.Handler(metrics, s.Ready)
	return nil
}

func (s *Server) cursorSecret(ctx context.Context) ([]byte, error) {
	if s.settings.CursorSecret != "" {
		return []byte(s.settings.CursorSecret), nil
	}
	secret, err := db.New(s.door).GetServerSecret(ctx, "cursor")
	if err != nil {
		return nil, fmt.Errorf("reading the cursor secret: %w", err)
	}
	return secret, nil
}

// Ready tells whether requests can be admitted and read.
func (s *Server) Ready(ctx context.Context) error {
	if err := s.door.Ping(ctx); err != nil {
		return errors.New("the database does not answer")
	}
	// A pool that is busy to its last connection is at work. Taking servers out of
	// service for that would only move the load to the others.
	if in := s.pool.Stat(); in.AcquiredConns() == in.MaxConns() {
		return nil
	}
	if err := s.pool.Ping(ctx); err != nil {
		return errors.New("the database lets no reader in")
	}
	if err := s.pool.CheckFresh(ctx); err != nil {
		return errors.New("the replica does not keep up with the primary")
	}
	return nil
}

// Close ends the limiter and the pools, when no request is in flight any more.
func (s *Server) Close() {
	s.limiter.Close()
	s.closeTracer()
	s.closePools()
}

func (s *Server) closeTracer() {
	if s.tracer != nil {
		s.tracer.Close()
	}
}

// closePools takes leave of the database, and of one that does not answer not
// for long: connections end with the process in any case.
func (s *Server) closePools() {
	var closing sync.WaitGroup
	for _, pool := range []*postgres.Pool{s.streams, s.door, s.pool, s.upkeep} {
		if pool != nil {
			closing.Go(pool.Close)
		}
	}
	closed := make(chan struct{})
	go func() { closing.Wait(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
}

// Serve listens until ctx is done, then lets the requests in flight finish.
// ready is called with both addresses once the server answers.
func (s *Server) Serve(ctx context.Context, ready func(address, operations string)) error {
	var listen net.ListenConfig
	api, err := listen.Listen(ctx, "tcp", s.settings.Listen)
	if err != nil {
		return fmt.Errorf("listening for the API: %w: free the address or choose another with --listen", err)
	}
	defer api.Close()
	operator, err := listen.Listen(ctx, "tcp", s.settings.OpsListen)
	if err != nil {
		return fmt.Errorf("listening for the operator: %w: free the address or choose another with --ops-listen", err)
	}
	defer operator.Close()

	apiServer, opsServer := s.httpServer(s.Handler), s.httpServer(s.OpsHandler)
	failed := make(chan error, 2)
	go func() { failed <- apiServer.Serve(api) }()
	go func() { failed <- opsServer.Serve(operator) }()
	upkeep, stopUpkeep := context.WithCancel(ctx)
	defer stopUpkeep()
	debug.FreeOSMemory() // what starting took
	go keepMemory(upkeep)
	go s.keepRequestLog(upkeep)
	if s.settings.ReplicaURL != "" {
		go s.keepReplicaDated(upkeep)
	}
	go s.watch.Run(upkeep)
	go search.KeepIndexed(upkeep, s.upkeep, search.DefaultLimits(), s.log)
	ready(api.Addr().String(), operator.Addr().String())

	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.log.Info("stopping: requests in flight may finish", "within", s.settings.DrainTimeout.String())
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.settings.DrainTimeout)
	defer cancel()
	err = apiServer.Shutdown(drain)
	_ = opsServer.Shutdown(drain)
	if err != nil {
		_ = apiServer.Close()
		return fmt.Errorf("some requests did not finish in time: %w", err)
	}
	return nil
}

// httpServer bounds everything that a client could drag out.
func (s *Server) httpServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// keepRequestLog makes the coming days' partitions and drops old ones, at start
// and every hour.
func (s *Server) keepRequestLog(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		if err := s.keepRequestLogOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("keeping the request log", "error", postgres.Loggable(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// keepRequestLogOnce holds a connection of the door's for no longer than a
// request may.
func (s *Server) keepRequestLogOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, doorTimeout+time.Second)
	defer cancel()
	retention := pgtype.Interval{Microseconds: s.settings.LogRetention.Microseconds(), Valid: true}
	return db.New(s.door).KeepRequestLog(ctx, retention)
}
