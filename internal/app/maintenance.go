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

// standbyInterval is how often the standby is checked.
const standbyInterval = time.Second

// watchStandby decides where reads go, and logs each change.
func (s *Server) watchStandby(ctx context.Context) {
	fellBack := false
	each(ctx, standbyInterval, func() {
		err := checkStandby(ctx, s.reads)
		_ = checkStandby(ctx, s.streams)
		before := fellBack
		switch fellBack = s.reads.FellBack(); {
		case fellBack == before:
		case fellBack:
			var cause []any // none if a read noticed the failure and the standby answers again
			if err != nil {
				cause = []any{"error", postgres.Loggable(err)}
			}
			s.log.Warn("reads go to the primary: the standby fails or is too far behind", cause...)
		default:
			s.log.Info("reads go to the standby again")
		}
	})
}

// checkStandby has a timeout of its own: a check that hangs takes no time from the next.
func checkStandby(ctx context.Context, pool *postgres.Pool) error {
	bounded, cancel := context.WithTimeout(ctx, standbyInterval)
	defer cancel()
	return pool.CheckStandby(bounded)
}

// health is what metrics export of the database, as of the last reading.
type health struct{ backlog, future, imported, oldestSync, lateClients atomic.Int64 }

func (s *Server) readHealth(ctx context.Context) error {
	h, err := db.New(s.maintenance).ReadHealth(ctx, db.ReadHealthParams{ScanLimit: search.DefaultLimits().Newest, KeepOutside: search.KeepOutside})
	if err != nil {
		return err
	}
	s.health.backlog.Store(h.SearchBacklog)
	s.health.future.Store(h.FutureRequests)
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
