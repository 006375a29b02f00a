package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
)

// door is one database's admission.
type door struct {
	url   string
	found map[string][]figures
	// cpu is what an admission of the last measurement took of its backend's time.
	cpu time.Duration
}

var (
	groups  = []int{1, 4, 8, 16, 64}
	callers = []int{1, 8, 32}
	secret  = sha256.Sum256([]byte("secret"))
)

func names() []string {
	var all []string
	for _, size := range groups {
		all = append(all, groupName(size))
	}
	for _, n := range callers {
		all = append(all, limiterName(n))
	}
	return all
}

func groupName(size int) string { return fmt.Sprintf("groups of %d", size) }
func limiterName(n int) string  { return fmt.Sprintf("limiter, %d callers", n) }

// fill makes the keys and an hour of requests, a week of partitions around them.
func (d *door) fill(ctx context.Context, s settings) error {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return exec(ctx, conn,
		"TRUNCATE request_log",
		"DELETE FROM api_keys WHERE client_id IS NOT NULL",
		`DO $$ DECLARE day date; BEGIN
			FOR day IN SELECT (now() AT TIME ZONE 'UTC')::date - n FROM generate_series(1, 7) AS n LOOP
				EXECUTE format('CREATE TABLE IF NOT EXISTS request_log_%s PARTITION OF request_log FOR VALUES FROM (%L) TO (%L)',
					to_char(day, 'YYYYMMDD'), day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
			END LOOP;
		END $$`,
		"SELECT keep_request_log(interval '8 days')",
		`INSERT INTO clients (id, slug, name) SELECT md5('c' || n)::uuid, 'bench' || n, 'Bench' FROM generate_series(0, 49) AS n
			WHERE NOT EXISTS (SELECT FROM clients AS c WHERE c.id = md5('c' || n)::uuid)`,
		fmt.Sprintf(`INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, last_used_at)
			SELECT 'bench' || to_char(n, 'FM0000000'), md5('k' || n)::uuid, md5('c' || n %% 50)::uuid, 'bench', '\x%x',
				'{read:interviews_metadata}', now()
			FROM generate_series(1, %d) AS n`, secret, s.keys),
		fmt.Sprintf(`INSERT INTO request_log (client_id, key_id, at, seq, route, status)
			SELECT k.client_id, k.id, now() - interval '59 minutes' * (%[1]d - n) / %[1]d, n, 'listInterviews', 200
			FROM generate_series(1, %[1]d) AS n, api_keys AS k WHERE k.client_id IS NOT NULL ORDER BY n, k.id`, s.window),
		"VACUUM ANALYZE request_log", "VACUUM ANALYZE api_keys",
	)
}

func (d *door) measure(ctx context.Context, s settings) error {
	for _, size := range groups {
		if err := d.run(ctx, groupName(size), s, func(until time.Time) ([]time.Duration, int, error) {
			return d.admitGroups(ctx, s, size, until)
		}); err != nil {
			return err
		}
	}
	for _, n := range callers {
		if err := d.run(ctx, limiterName(n), s, func(until time.Time) ([]time.Duration, int, error) {
			return d.admitSingly(ctx, s, n, until)
		}); err != nil {
			return err
		}
	}
	return nil
}

// run notes what a way of admitting does in its time, and what it logs.
func (d *door) run(ctx context.Context, name string, s settings, admit func(until time.Time) ([]time.Duration, int, error)) error {
	if !strings.Contains(name, s.only) {
		return nil
	}
	before, err := d.logged(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	took, admitted, err := admit(began.Add(s.each))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	seconds := time.Since(began).Seconds()
	after, err := d.logged(ctx)
	if err != nil {
		return err
	}
	slices.Sort(took)
	spent := d.cpu
	d.cpu = 0
	d.found[name] = append(d.found[name], figures{
		perSecond: float64(admitted) / seconds,
		walBytes:  float64(after-before) / float64(admitted),
		cpu:       spent, median: took[len(took)/2], high: took[len(took)*99/100],
	})
	return nil
}

func (d *door) logged(ctx context.Context) (int64, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(ctx)
	var bytes int64
	err = conn.QueryRow(ctx, "SELECT pg_current_wal_insert_lsn() - '0/0'").Scan(&bytes)
	return bytes, err
}

// admitGroups sends groups of one size on one connection, each with the
// outcomes of the one before, as the limiter does.
func (d *door) admitGroups(ctx context.Context, s settings, size int, until time.Time) ([]time.Duration, int, error) {
	conn, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return nil, 0, err
	}
	defer conn.Close(ctx)
	before := cpu(conn)
	var took []time.Duration
	var admitted int
	var clients, keys []uuid.UUID
	var ats []time.Time
	var seqs []int64
	var statuses []int16
	for time.Now().Before(until) {
		prefixes, hashes, routes := make([]string, size), make([][]byte, size), make([]string, size)
		for i := range size {
			prefixes[i], hashes[i], routes[i] = s.somePrefix(), secret[:], "listInterviews"
		}
		began := time.Now()
		rows, err := conn.Query(ctx, `SELECT a.verdict, a.client_id, a.key_id, a.at, a.seq
			FROM admit($1, $2, $3, 600, '1 hour', '0', $4, $5, $6, $7, $8) AS a`,
			prefixes, hashes, routes, clients, keys, ats, seqs, statuses)
		if err != nil {
			return nil, 0, err
		}
		clients, keys, ats, seqs, statuses = clients[:0], keys[:0], ats[:0], seqs[:0], statuses[:0]
		var verdict string
		var client, key uuid.UUID
		var at time.Time
		var seq *int64
		if _, err := pgx.ForEachRow(rows, []any{&verdict, &client, &key, &at, &seq}, func() error {
			if verdict != "admitted" {
				return fmt.Errorf("a request is %s", verdict)
			}
			clients, keys, ats, seqs, statuses = append(clients, client), append(keys, key), append(ats, at), append(seqs, *seq), append(statuses, 200)
			return nil
		}); err != nil {
			return nil, 0, err
		}
		took = append(took, time.Since(began))
		admitted += size
	}
	d.cpu = (cpu(conn) - before) / time.Duration(admitted)
	return took, admitted, nil
}

// admitSingly lets callers come one request at a time, as a server's do.
func (d *door) admitSingly(ctx context.Context, s settings, n int, until time.Time) ([]time.Duration, int, error) {
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{
		URL: d.url, Size: ratelimit.Workers(), StatementTimeout: 3 * time.Second, AcquireTimeout: time.Second,
	})
	if err != nil {
		return nil, 0, err
	}
	defer pool.Close()
	limiter := ratelimit.New(pool)
	defer limiter.Close()
	took, failed := make([][]time.Duration, n), make([]error, n)
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			for time.Now().Before(until) && failed[i] == nil {
				began := time.Now()
				admission, err := limiter.Admit(ctx, ratelimit.Request{Prefix: s.somePrefix(), SecretHash: secret, Route: "listInterviews"})
				took[i] = append(took[i], time.Since(began))
				if err == nil && admission.Verdict != ratelimit.Admitted {
					err = fmt.Errorf("a request is %s", admission.Verdict)
				}
				failed[i] = err
				limiter.Done(admission, 200)
			}
		})
	}
	running.Wait()
	all := slices.Concat(took...)
	for _, err := range failed {
		if err != nil {
			return nil, 0, err
		}
	}
	return all, len(all), nil
}

func (s settings) somePrefix() string { return fmt.Sprintf("bench%07d", 1+rand.IntN(s.keys)) }

// cpu is the time that a connection's backend has run, where the system tells.
func cpu(conn *pgx.Conn) time.Duration {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", conn.PgConn().PID()))
	if err != nil {
		return 0
	}
	var nanoseconds int64
	_, _ = fmt.Sscan(string(content), &nanoseconds)
	return time.Duration(nanoseconds)
}
