package analytics

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

const (
	// rowTimeout is what the database may take for the next row of a stream.
	rowTimeout = 10 * time.Second
	// lookEvery is how much later it may be noticed.
	lookEvery = 2 * time.Second
)

var errStalled = errors.New("no further row came")

// stallWatchdog moves on with each row: even while the database is waited for, odd while
// the row is taken, which may last as long as the caller likes.
type stallWatchdog struct{ n atomic.Int64 }

func (b *stallWatchdog) next() { b.n.Add(1) }

// watch ends a stream whose database sends nothing any more. A timer for each
// row would cost a tenth of the stream.
func (b *stallWatchdog) watch(ctx context.Context, stop context.CancelCauseFunc) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last, since := int64(-1), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n := b.n.Load(); n != last || n%2 == 1 {
			last, since = n, time.Now()
		} else if time.Since(since) >= rowTimeout {
			stop(errStalled)
			return
		}
	}
}
