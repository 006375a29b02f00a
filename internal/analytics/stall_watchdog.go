package analytics

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

const (
	// rowTimeout is how long the database may take for the next row of a stream.
	rowTimeout = 10 * time.Second
	// checkInterval is how much later than that a stall may be noticed.
	checkInterval = 2 * time.Second
)

var errStalled = errors.New("no further row came")

// stallWatchdog counts up twice for each row: the number is even while the stream waits for
// the database, and odd while the caller takes the row, which may take long.
type stallWatchdog struct{ n atomic.Int64 }

func (w *stallWatchdog) next() { w.n.Add(1) }

// watch ends a stream whose database sends no more rows. A timer for each row would take a
// tenth of the stream's time.
func (w *stallWatchdog) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(checkInterval)
	defer tick.Stop()
	last, since := int64(-1), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := w.n.Load(); n != last || n%2 == 1 {
			last, since = n, time.Now()
		} else if time.Since(since) >= rowTimeout {
			stop(errStalled)
			return
		}
	}
}
