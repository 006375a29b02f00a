package ratelimit

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// outcomesAtOnce is how many make a row.
	outcomesAtOnce = 64
	// noteEvery is how late outcomes are noted when fewer come together.
	noteEvery = time.Second
	// maxOutcomes bounds what is kept for a store that is out of reach; a lost
	// outcome is a blank in the log, never an uncounted request.
	maxOutcomes = 10_000
)

// outcomes gathers how requests ended and notes them many at a time, beside
// admission: nobody waits for it.
type outcomes struct {
	pool  *postgres.Pool
	shift time.Duration
	// enough holds a token when there are enough for a row.
	enough chan struct{}

	mu   sync.Mutex
	done ended
}

// ended is a row of outcomes: the n-th of each belong together.
type ended struct {
	keys     []uuid.UUID
	seqs     []int64
	statuses []int16
}

func newOutcomes(pool *postgres.Pool, shift time.Duration) *outcomes {
	return &outcomes{pool: pool, shift: shift, enough: make(chan struct{}, 1)}
}

func (o *outcomes) add(r receipt, status int) {
	o.mu.Lock()
	d := &o.done
	if len(d.seqs) < maxOutcomes {
		d.keys, d.seqs, d.statuses = append(d.keys, r.keyID), append(d.seqs, r.seq), append(d.statuses, int16(status))
	}
	plenty := len(d.seqs) >= outcomesAtOnce
	o.mu.Unlock()
	if plenty {
		select {
		case o.enough <- struct{}{}:
		default:
		}
	}
}

// run notes outcomes until stop, and then the last ones.
func (o *outcomes) run(stop <-chan struct{}) {
	tick := time.NewTicker(noteEvery)
	defer tick.Stop()
	for {
		select {
		case <-o.enough:
			o.note(outcomesAtOnce)
		case <-tick.C:
			o.note(1)
		case <-stop:
			o.note(1)
			return
		}
	}
}

// note writes all there are, row by row, down to rows of so many.
func (o *outcomes) note(least int) {
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
	defer cancel()
	var err error
	for row := o.take(least); len(row.seqs) > 0 && err == nil; row = o.take(least) {
		var sent bool
		if sent, err = o.send(ctx, row); !sent {
			o.giveBack(row)
		}
	}
}

// send tells whether the row may have been noted: then it is not sent again.
func (o *outcomes) send(ctx context.Context, row ended) (bool, error) {
	conn, err := o.pool.Acquire(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Release()
	_, err = conn.Exec(ctx, "SELECT note_outcomes($1, $2, $3, $4)", interval(o.shift), row.keys, row.seqs, row.statuses)
	return !pgconn.SafeToRetry(err), err
}

// take takes a row's worth, if there are so many.
func (o *outcomes) take(least int) ended {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := &o.done
	n := min(len(d.seqs), outcomesAtOnce)
	if n < least {
		return ended{}
	}
	row := ended{d.keys[:n:n], d.seqs[:n:n], d.statuses[:n:n]}
	if d.keys, d.seqs, d.statuses = d.keys[n:], d.seqs[n:], d.statuses[n:]; len(d.seqs) == 0 {
		*d = ended{} // the row keeps the memory
	}
	return row
}

func (o *outcomes) giveBack(row ended) {
	o.mu.Lock()
	defer o.mu.Unlock()
	d := &o.done
	if len(d.seqs)+len(row.seqs) <= maxOutcomes {
		*d = ended{append(row.keys, d.keys...), append(row.seqs, d.seqs...), append(row.statuses, d.statuses...)}
	}
}
