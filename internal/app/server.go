package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/analytics"
	"github.com/clientintel/clientintel/internal/campaign"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/handler"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/mcp"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/ops"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/server"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// Server is a wired server. Serve makes it listen.
type Server struct {
	// Handler serves the API, OpsHandler health and metrics.
	Handler    http.Handler
	OpsHandler http.Handler

	settings    config.Server
	log         *slog.Logger
	reads       *postgres.Pool
	admission   *postgres.Pool
	streams     *postgres.Pool
	searches    *postgres.Pool
	maintenance *postgres.Pool // always the primary's
	limiter     *ratelimit.Limiter
	usage       *ratelimit.Usage
	auditor     *measurement.Auditor
	triggers    measurement.Triggers
	// notReady is why the last check of readiness failed; empty: it was ready.
	notReady atomic.Value
	health   health
	// draining is set once the server is to stop.
	draining atomic.Bool
}

// Version is the release, set when a release is built.
var Version = "development"

const (
	// admissionTimeout bounds a query that admits a request.
	admissionTimeout = 3 * time.Second
	// lockTimeout bounds the wait for a lock of another session.
	lockTimeout = 2 * time.Second
	// closeTimeout bounds the closing of the pools.
	closeTimeout = 3 * time.Second
)

// NewServer wires a server on a migrated database.
func NewServer(ctx context.Context, databaseURL string, settings config.Server, log *slog.Logger) (*Server, error) {
	s := &Server{
		settings: settings, log: log, auditor: measurement.NewAuditor(databaseURL, log),
	}
	if err := s.wire(ctx, databaseURL); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) wire(ctx context.Context, databaseURL string) error {
	// Each kind of work has its own connections, so that none delays another.
	primary := postgres.PoolSettings{URL: databaseURL, AcquireTimeout: 2 * time.Second, LockTimeout: lockTimeout}
	admission := primary
	admission.Application, admission.Size, admission.StatementTimeout = "clientintel admission", ratelimit.Connections, admissionTimeout
	maintenance := primary
	maintenance.Application, maintenance.Size, maintenance.StatementTimeout = "clientintel maintenance", 1, s.settings.StatementTimeout
	// Reads may go to a standby.
	reads := primary
	if s.settings.ReplicaURL != "" {
		reads.URL, reads.MaxLag = s.settings.ReplicaURL, s.settings.ReplicaMaxLag
	}
	reads.Application, reads.Size, reads.StatementTimeout = "clientintel read", int32(s.settings.PoolSize), s.settings.StatementTimeout
	reads.ReadTimeout = s.settings.StatementTimeout + time.Second
	// A streamed response holds its connection for as long as its caller reads.
	streams := reads
	streams.Application, streams.Size, streams.StatementTimeout = "clientintel stream", analytics.Streams, 10*time.Second
	streams.ReadTimeout, streams.AcquireTimeout = 0, 3*time.Second
	// A search can take as long as hundreds of pages.
	searches := reads
	limits := search.DefaultLimits()
	searches.Application, searches.Size, searches.Share, searches.StatementTimeout = "clientintel search", search.Slots, 1, limits.Timeout
	searches.ReadTimeout, searches.AcquireTimeout = limits.Timeout+time.Second, limits.Timeout
	for _, p := range []struct {
		pool     **postgres.Pool
		settings postgres.PoolSettings
	}{
		{&s.reads, reads}, {&s.streams, streams}, {&s.searches, searches}, {&s.admission, admission}, {&s.maintenance, maintenance},
	} {
		var err error
		if *p.pool, err = postgres.OpenPool(ctx, p.settings); err != nil {
			return err
		}
	}
	cursors, err := s.cursors(ctx)
	if err != nil {
		return err
	}
	if err := postgres.CheckShadowing(ctx, s.maintenance); err != nil {
		return err
	}
	if err := search.Check(ctx, s.reads); err != nil {
		return err
	}
	if err := s.triggers.Check(ctx, s.maintenance); err != nil {
		return err
	}

	metrics := ops.NewMetrics(Version)
	s.limiter, s.usage = ratelimit.New(s.admission), ratelimit.NewUsage(s.admission)
	snapshotsOf := func(pool *postgres.Pool) *measurement.SnapshotReader {
		return measurement.NewSnapshotReader(pool, &s.triggers, s.settings.BasisMaxIDs)
	}
	snapshots := snapshotsOf(s.reads)
	api, err := server.New(server.Deps{
		Limiter: s.limiter,
		Readers: handler.Readers{
			Interviews: interview.New(snapshots),
			Campaigns:  campaign.New(snapshots),
			Synthesis:  synthesis.New(snapshots),
			Analytics:  analytics.New(snapshots, snapshotsOf(s.streams)),
			Search:     search.New(snapshotsOf(s.searches), limits),
			Cursors:    cursors,
		},
		Observers: middleware.Observers{
			RecordRequest: metrics.RecordRequest,
			RecordUse:     s.usage.Record,
			Log:           s.log,
			LogOneIn:      s.settings.LogOneIn,
		},
		Validation: s.settings.ResponseValidation,
		PublicURL:  s.settings.PublicURL,
		Docs:       s.settings.Docs != "off",
	})
	if err != nil {
		return err
	}
	agents, err := mcp.New(api, s.settings.PublicURL, Version)
	if err != nil {
		return err
	}
	handler, err := api.Handler(agents)
	if err != nil {
		return err
	}
	s.Handler = metrics.CountInFlight(handler)

	metrics.RegisterPool("read", s.reads)
	metrics.RegisterPool("admission", s.admission)
	metrics.RegisterPool("stream", s.streams)
	metrics.RegisterPool("search", s.searches)
	metrics.RegisterGauge("clientintel_admission_waiting", "Requests that wait to be admitted.", func() float64 { return float64(s.limiter.Waiting()) })
	metrics.RegisterCounter("clientintel_admission_groups_total", "Groups of requests sent to be admitted.", s.limiter.Groups.Load)
	metrics.RegisterCounter("clientintel_admission_grouped_total", "Requests in these groups.", s.limiter.Grouped.Load)
	metrics.RegisterGauge("clientintel_search_backlog_documents", "Documents that wait to be indexed for searches.",
		func() float64 { return float64(s.health.backlog.Load()) })
	metrics.RegisterGauge("clientintel_future_request_rows", "Rows of the request log that are dated after the database's present.",
		func() float64 { return float64(s.health.future.Load()) })
	metrics.RegisterGauge("clientintel_expiring_keys", "Keys in force that expire within 14 days.",
		func() float64 { return float64(s.health.expiring.Load()) })
	metrics.RegisterGauge("clientintel_last_import_timestamp_seconds", "When the last import ended; 0: none did.",
		func() float64 { return float64(s.health.imported.Load()) })
	metrics.RegisterGauge("clientintel_sync_oldest_success_timestamp_seconds", "When the client that waits longest was last synced; 0: none was.",
		func() float64 { return float64(s.health.oldestSync.Load()) })
	metrics.RegisterGauge("clientintel_sync_late_clients", "Clients that were not synced for 26 hours.",
		func() float64 { return float64(s.health.lateClients.Load()) })
	metrics.RegisterGauge("clientintel_standby_lag_seconds", "How far the standby is behind; -1: it does not answer; 0 without one.",
		func() float64 { return s.reads.Lag().Seconds() })
	metrics.RegisterCounter("clientintel_measurement_audits_total", "Background audits of clients.", s.auditor.Audits.Load)
	metrics.RegisterCounter("clientintel_measurement_audits_differing_total", "Background audits that found a difference.", s.auditor.Differing.Load)
	metrics.RegisterGauge("clientintel_measurement_broken_clients", "Canonical clients refused until they are rebuilt.",
		func() float64 { return float64(s.auditor.Broken.Load()) })
	metrics.RegisterGauge("clientintel_measurement_audit_last_timestamp_seconds", "When the last background audit ended.",
		func() float64 { return time.Duration(s.auditor.Last.Load()).Seconds() })
	metrics.RegisterGauge("clientintel_measurement_audit_last_duration_seconds", "How long the last background audit took.",
		func() float64 { return time.Duration(s.auditor.Took.Load()).Seconds() })
	metrics.RegisterCounter("clientintel_responses_checked_total", "Responses validated against the contract.", api.CheckedResponses)
	metrics.RegisterCounter("clientintel_responses_broken_total", "Responses that broke the contract.", api.BrokenResponses)
	s.OpsHandler = ops.Handler(metrics, s.Ready)
	return nil
}

// cursors returns the codec with the secret of the settings, or else the database's. It
// also accepts cursors of the previous secret.
func (s *Server) cursors(ctx context.Context) (*page.Codec, error) {
	var previous [][]byte
	if s.settings.CursorSecretPrevious != "" {
		previous = append(previous, []byte(s.settings.CursorSecretPrevious))
	}
	if s.settings.CursorSecret != "" {
		return page.NewCodec([]byte(s.settings.CursorSecret), previous...), nil
	}
	secret, err := db.New(s.admission).GetServerSecret(ctx, "cursor")
	if err != nil {
		return nil, fmt.Errorf("reading the cursor secret: %w", err)
	}
	return page.NewCodec(secret, previous...), nil
}

// Ready returns why requests would not be admitted and answered, nil if they would. It
// logs each change of the reason.
func (s *Server) Ready(ctx context.Context) error {
	err := s.checkReady(ctx)
	reason := ""
	if err != nil {
		reason = err.Error()
	}
	switch before, _ := s.notReady.Swap(reason).(string); {
	case before == reason:
	case reason == "":
		s.log.Info("ready again")
	default:
		s.log.Warn("not ready", "reason", reason)
	}
	return err
}

func (s *Server) checkReady(ctx context.Context) error {
	if s.draining.Load() {
		return errors.New("the server is stopping")
	}
	schema, err := postgres.ReadSchema(ctx, s.admission)
	switch {
	case err != nil && postgres.IsUnavailable(err):
		return errors.New("the database does not answer")
	case err != nil:
		return errors.New("the server's login may not read the schema's version: run 'clientintel doctor'")
	}
	if err := schema.CheckServed(); err != nil {
		return err
	}
	switch can, err := postgres.CanAdmit(ctx, s.admission); {
	case err != nil:
		return errors.New("the database does not answer")
	case !can:
		return errors.New("the server's login may not execute the function admit: run 'clientintel doctor'")
	}
	reads := s.reads
	// A full pool is not a failure. Taking its server out of service would only move the
	// load to the others.
	if stat := reads.Stat(); stat.AcquiredConns() == stat.MaxConns() {
		return nil
	}
	if err := reads.CheckFresh(ctx); err != nil {
		if postgres.IsUnavailable(err) {
			return errors.New("the database lets no reader in")
		}
		return errors.New("the standby does not keep up with the primary")
	}
	// One worker of several may be down: requests of clients on the others are answered.
	if reads.Distributed() {
		if err := reads.Ping(ctx); err != nil {
			return errors.New("the database does not answer")
		}
		return nil
	}
	// No client has this id: the transaction begins like a request's and reads nothing.
	if err := reads.Read(ctx, postgres.Reading{Once: true}, func(ctx context.Context, s *postgres.Snapshot) error {
		_, err := s.Queries().ListMemberIDs(ctx, db.ListMemberIDsParams{})
		return err
	}); err != nil {
		if stat := reads.Stat(); stat.AcquiredConns() == stat.MaxConns() {
			return nil // it has filled up since
		}
		return errors.New("a reader's transaction does not begin: see the server's log and run 'clientintel doctor'")
	}
	return nil
}

// Close closes what NewServer opened. No request may be in flight.
func (s *Server) Close() {
	if s.limiter != nil {
		s.limiter.Close()
		s.usage.Close()
	}
	// Connections end with the process in any case, so a database that does not answer
	// delays the end by at most closeTimeout.
	var closing sync.WaitGroup
	for _, pool := range []*postgres.Pool{s.streams, s.searches, s.admission, s.reads, s.maintenance} {
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
