package app

import (
	"context"
	"time"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
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

// sendReplicaHeartbeat commits something on the primary. A standby knows how far
// it is by the last commit it replayed: without requests it would look cut off,
// be taken out of service, and get no request ever again. Taking a transaction
// id writes to the WAL and needs no right to write.
func (s *Server) sendReplicaHeartbeat(ctx context.Context) error {
	_, err := s.admission.Exec(ctx, "SELECT pg_current_xact_id()")
	return err
}
