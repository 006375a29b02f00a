package app

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/search"
)

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
