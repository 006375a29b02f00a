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
	// usageEvery is how often usage is written, and how much of it a crash loses.
	usageEvery = 10 * time.Second
	// usageTimeout bounds one write, also the last one.
	usageTimeout = 4 * time.Second
	// maxUsageRows bounds what is kept while the database is out of reach.
	maxUsageRows = 100_000
)

// Usage adds up how requests ended, by key, hour, route and status, and writes it to the
// database every ten seconds. The quota never depends on it.
type Usage struct {
	pool  *postgres.Pool
	stop  chan struct{}
	ended sync.WaitGroup

	mu    sync.Mutex
	added map[usageRow]int64
}

type usageRow struct {
	keyID  uuid.UUID
	hour   int64 // of Unix time
	route  string
	status int
}

// NewUsage starts writing. Close ends it.
func NewUsage(pool *postgres.Pool) *Usage {
	u := &Usage{pool: pool, stop: make(chan struct{}), added: map[usageRow]int64{}}
	u.ended.Go(u.run)
	return u
}

// Record counts a request that ended.
func (u *Usage) Record(keyID uuid.UUID, route string, status int) {
	row := usageRow{keyID, time.Now().Unix() / 3600, route, status}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.added[row] > 0 || len(u.added) < maxUsageRows {
		u.added[row]++
	}
}

func (u *Usage) run() {
	tick := time.NewTicker(usageEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			u.write()
		case <-u.stop:
			u.write()
			return
		}
	}
}

// write writes what was added since the last time. What may have been written is not
// written again.
func (u *Usage) write() {
	u.mu.Lock()
	rows := u.added
	u.added = map[usageRow]int64{}
	u.mu.Unlock()
	if len(rows) == 0 {
		return
	}
	var params db.AddKeyUsageParams
	for row, requests := range rows {
		params.Keys = append(params.Keys, row.keyID)
		params.Hours = append(params.Hours, time.Unix(row.hour*3600, 0))
		params.Routes = append(params.Routes, row.route)
		params.Statuses = append(params.Statuses, int16(row.status))
		params.Requests = append(params.Requests, requests)
	}
	if err := u.send(params); pgconn.SafeToRetry(err) || postgres.IsRetryable(err) {
		u.mu.Lock()
		defer u.mu.Unlock()
		for row, requests := range u.added {
			rows[row] += requests
		}
		u.added = rows
	}
}

func (u *Usage) send(params db.AddKeyUsageParams) error {
	ctx, cancel := context.WithTimeout(context.Background(), usageTimeout)
	defer cancel()
	return db.New(u.pool).AddKeyUsage(ctx, params)
}

// Close writes what is left.
func (u *Usage) Close() {
	close(u.stop)
	u.ended.Wait()
}
