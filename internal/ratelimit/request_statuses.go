package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// statusBatch is how many statuses a row holds.
	statusBatch = 64
	// recordEvery is how long fewer statuses than a batch wait.
	recordEvery = time.Second
	// maxStatuses bounds what is kept while the database is unavailable; a lost status
	// is a blank in the log, never an uncounted request.
	maxStatuses = 10_000
)

// statusRecorder collects the statuses of requests and records them in batches. No
// request waits for it.
type statusRecorder struct {
	pool  *postgres.Pool
	shift time.Duration
	// full holds a token when there are enough for a batch.
	full chan struct{}

	mu      sync.Mutex
	pending statuses
}

// statuses are those of some requests: the n-th of each list belong together.
type statuses struct {
	keys  []uuid.UUID
	seqs  []int64
	codes []int16
}

func newStatusRecorder(pool *postgres.Pool, shift time.Duration) *statusRecorder {
	return &statusRecorder{pool: pool, shift: shift, full: make(chan struct{}, 1)}
}

func (r *statusRecorder) add(row logRow, status int) {
	r.mu.Lock()
	p := &r.pending
	if len(p.seqs) < maxStatuses {
		p.keys, p.seqs, p.codes = append(p.keys, row.keyID), append(p.seqs, row.seq), append(p.codes, int16(status))
	}
	full := len(p.seqs) >= statusBatch
	r.mu.Unlock()
	if full {
		select {
		case r.full <- struct{}{}:
		default:
		}
	}
}

// run records statuses until stop, and the last ones then.
func (r *statusRecorder) run(stop <-chan struct{}) {
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.full:
			r.record(statusBatch)
		case <-tick.C:
			r.record(1)
		case <-stop:
			r.record(1)
			return
		}
	}
}

// record writes batches of at least so many statuses, until fewer are left.
func (r *statusRecorder) record(least int) {
	ctx, cancel := context.WithTimeout(context.Background(), admitTimeout)
	defer cancel()
	var err error
	for batch := r.take(least); len(batch.seqs) > 0 && err == nil; batch = r.take(least) {
		var sent bool
		if sent, err = r.send(ctx, batch); !sent {
			r.putBack(batch)
		}
	}
}

// send reports whether the batch may have been recorded: then it is not sent again.
func (r *statusRecorder) send(ctx context.Context, batch statuses) (bool, error) {
	conn, err := r.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	err = db.New(conn).RecordStatuses(ctx, db.RecordStatusesParams{
		ClockShift: r.shift, Keys: batch.keys, Seqs: batch.seqs, Statuses: batch.codes,
	})
	return !pgconn.SafeToRetry(err), err
}

// take removes a batch, if there are at least so many statuses.
func (r *statusRecorder) take(least int) statuses {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.pending
	n := min(len(p.seqs), statusBatch)
	if n < least {
		return statuses{}
	}
	batch := statuses{p.keys[:n:n], p.seqs[:n:n], p.codes[:n:n]}
	if p.keys, p.seqs, p.codes = p.keys[n:], p.seqs[n:], p.codes[n:]; len(p.seqs) == 0 {
		*p = statuses{} // the batch keeps the memory
	}
	return batch
}

func (r *statusRecorder) putBack(batch statuses) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := &r.pending
	if len(p.seqs)+len(batch.seqs) <= maxStatuses {
		*p = statuses{append(batch.keys, p.keys...), append(batch.seqs, p.seqs...), append(batch.codes, p.codes...)}
	}
}
