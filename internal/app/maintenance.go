package app

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
)

// each calls do at once and then in each interval, until ctx is done.
func each(ctx context.Context, interval time.Duration, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for ctx.Err() == nil {
		do()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// repeat does the work in each interval. Its time is bounded like an admission's, as both
// share the connections.
func (s *Server) repeat(ctx context.Context, doing string, interval time.Duration, work func(context.Context) error) {
	each(ctx, interval, func() {
		bounded, cancel := context.WithTimeout(ctx, admissionTimeout+time.Second)
		defer cancel()
		if err := work(bounded); err != nil && ctx.Err() == nil {
			s.log.Warn(doing, "error", postgres.Loggable(err))
		}
	})
}

// sendStandbyHeartbeat commits a transaction on the primary. A standby measures its lag by
// the last commit that it replayed: without requests it would look disconnected, be taken
// out of service, and never get a request again. Taking a transaction id writes to the
// WAL and needs no privilege to write.
func (s *Server) sendStandbyHeartbeat(ctx context.Context) error {
	_, err := s.admission.Exec(ctx, "SELECT pg_current_xact_id()")
	return err
}

// measurementInterval is how often counts are merged, and their triggers checked.
const measurementInterval = 10 * time.Second

// KeepMeasurement checks the triggers that keep counts, and merges what writers have added.
func (s *Server) KeepMeasurement(ctx context.Context) error {
	if err := s.triggers.Check(ctx, s.maintenance); err != nil {
		return err
	}
	return db.New(s.maintenance).MergeMeasurementChanges(ctx)
}

// health is what metrics export of the database, as of the last reading.
type health struct{ backlog, future, imported, expiring, oldestSync, lateClients atomic.Int64 }

func (s *Server) readHealth(ctx context.Context) error {
	h, err := db.New(s.maintenance).ReadHealth(ctx, db.ReadHealthParams{ScanLimit: search.DefaultLimits().Newest, KeepOutside: search.KeepOutside})
	if err != nil {
		return err
	}
	s.health.backlog.Store(h.SearchBacklog)
	s.health.future.Store(h.FutureRequests)
	s.health.expiring.Store(h.ExpiringKeys)
	if !h.LastImport.IsZero() {
		s.health.imported.Store(h.LastImport.Unix())
	}
	synced, err := db.New(s.maintenance).ReadSyncHealth(ctx)
	if err != nil {
		return err
	}
	s.health.lateClients.Store(synced.LateClients)
	if !synced.OldestSuccess.IsZero() {
		s.health.oldestSync.Store(synced.OldestSuccess.Unix())
	}
	return nil
}
