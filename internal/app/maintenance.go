package app

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
)

// repeat does the work at once and then in each interval, until ctx is done.
// Every time is bounded as an admission is, since both share the connections.
func (s *Server) repeat(ctx context.Context, doing string, interval time.Duration, work func(context.Context) error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		bounded, cancel := context.WithTimeout(ctx, admissionTimeout+time.Second)
		err := work(bounded)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.log.Warn(doing, "error", postgres.Loggable(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// maintainRequestLog creates the coming days' partitions and drops old ones.
func (s *Server) maintainRequestLog(ctx context.Context) error {
	return db.New(s.admission).MaintainRequestLog(ctx)
}

// sendReplicaHeartbeat commits something on the primary. A standby measures its
// lag by the last commit it replayed: without requests it would look cut off, be taken
// out of service, and never get a request again. Taking a transaction
// id writes to the WAL and needs no right to write.
func (s *Server) sendReplicaHeartbeat(ctx context.Context) error {
	_, err := s.admission.Exec(ctx, "SELECT pg_current_xact_id()")
	return err
}

// standbyInterval is how often the standby is looked at.
const standbyInterval = time.Second

// watchStandby decides where reads go, and logs each change.
func (s *Server) watchStandby(ctx context.Context) {
	tick := time.NewTicker(standbyInterval)
	defer tick.Stop()
	fellBack := false
	for {
		err := checkStandby(ctx, s.reads)
		_ = checkStandby(ctx, s.streams)
		before := fellBack
		switch fellBack = s.reads.FellBack(); {
		case fellBack == before:
		case fellBack:
			var cause []any // none where a read found out, and the standby answers again
			if err != nil {
				cause = []any{"error", postgres.Loggable(err)}
			}
			s.log.Warn("reads go to the primary: the standby fails or is too far behind", cause...)
		default:
			s.log.Info("reads go to the standby again")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// checkStandby bounds each look by itself: one that hangs takes no time from the next.
func checkStandby(ctx context.Context, pool *postgres.Pool) error {
	bounded, cancel := context.WithTimeout(ctx, standbyInterval)
	defer cancel()
	return pool.CheckStandby(bounded)
}

// health is what metrics tell of the database, as it was read last.
type health struct{ backlog, future, imported gauge }

// gauge is a number that is written and read at once.
type gauge struct{ bits atomic.Uint64 }

func (g *gauge) Load() float64   { return math.Float64frombits(g.bits.Load()) }
func (g *gauge) Store(v float64) { g.bits.Store(math.Float64bits(v)) }

func (s *Server) readHealth(ctx context.Context) error {
	h, err := db.New(s.maintenance).ReadHealth(ctx, db.ReadHealthParams{ScanLimit: search.DefaultLimits().Newest, KeepOutside: search.KeepOutside})
	if err != nil {
		return err
	}
	s.health.backlog.Store(float64(h.SearchBacklog))
	s.health.future.Store(float64(h.FutureRequests))
	if !h.LastImport.IsZero() {
		s.health.imported.Store(float64(h.LastImport.Unix()))
	}
	return nil
}
