package app

import (
	"context"
	"time"

	"github.com/clientintel/clientintel/internal/postgres"
)

// keepReplicaDated commits something on the primary four times in the longest
// lag that is let pass. A standby knows how far it is by the last commit it
// replayed: where nobody asks, it would look cut off, be taken out of service,
// and never be asked again.
func (s *Server) keepReplicaDated(ctx context.Context) {
	tick := time.NewTicker(max(s.settings.ReplicaMaxLag/4, 50*time.Millisecond))
	defer tick.Stop()
	for {
		if err := s.commitOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("dating the replica", "error", postgres.Loggable(err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// commitOnce takes a transaction id, which is written to the WAL with its
// commit: the server needs no right to write for that.
func (s *Server) commitOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, doorTimeout)
	defer cancel()
	_, err := s.door.Exec(ctx, "SELECT pg_current_xact_id()")
	return err
}
