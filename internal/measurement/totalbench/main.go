// Command totalbench measures what a response's snapshot with its total costs
// for a small client and a large one, the two taking turns, and what counting
// the rows would cost instead.
//
//	go run ./internal/measurement/totalbench -small 10000 -large 1000000
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

func main() {
	small := flag.Int("small", 10_000, "the small client's interviews")
	large := flag.Int("large", 1_000_000, "the large client's interviews")
	rounds := flag.Int("rounds", 3000, "rounds to take the median of")
	flag.Parse()
	if err := run(context.Background(), []*client{{interviews: *small}, {interviews: *large}}, *rounds); err != nil {
		log.Fatal(err)
	}
}

type client struct {
	id                uuid.UUID
	interviews        int
	total             int64
	reading, counting []time.Duration
}

func run(ctx context.Context, clients []*client, rounds int) error {
	dir, err := os.MkdirTemp("", "totalbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// A server started by root runs as another user.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	cluster, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(dir, "cluster")})
	if err != nil {
		return err
	}
	defer cluster.Close(ctx)
	if _, err := postgres.Migrate(ctx, cluster.OwnerURL()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, cluster.OwnerURL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, c := range clients {
		if err := c.fill(ctx, conn); err != nil {
			return err
		}
	}
	if _, err := conn.Exec(ctx, "VACUUM ANALYZE interviews"); err != nil {
		return err
	}
	pool, err := postgres.OpenPool(ctx, postgres.PoolSettings{URL: cluster.ServerURL(), Size: 1, AcquireTimeout: time.Second})
	if err != nil {
		return err
	}
	defer pool.Close()
	ledger := measurement.NewLedger(pool, 10_000)
	for n := range rounds {
		for _, c := range clients {
			if err := c.read(ctx, ledger, n%100 == 0); err != nil {
				return err
			}
		}
	}
	return report(ctx, conn, clients)
}

// fill writes a client of which three interviews in four are usable.
func (c *client) fill(ctx context.Context, conn *pgx.Conn) error {
	c.id = uuid.New()
	fmt.Printf("writing %d interviews\n", c.interviews)
	_, err := conn.Exec(ctx, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, $2, 'canonical', $3)`, c.id, c.id.String(), measurement.ContractVersion)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, best_quote)
		SELECT $1, gen_random_uuid(), '2026-01-01'::timestamptz - n * interval '1 minute', 'completed', 'passed', n % 4 > 0, true, repeat('x', 200)
		FROM generate_series(1, $2::integer) AS n`, c.id, c.interviews)
	return err
}

func (c *client) read(ctx context.Context, ledger *measurement.Ledger, count bool) error {
	began := time.Now()
	err := ledger.Read(ctx, access.Caller{ClientID: c.id}, func(_ context.Context, in *measurement.Reading) error {
		c.total = in.Statement.Total
		return nil
	})
	if err != nil {
		return err
	}
	c.reading = append(c.reading, time.Since(began))
	if !count {
		return nil
	}
	return ledger.Read(ctx, access.Caller{ClientID: c.id}, func(ctx context.Context, in *measurement.Reading) error {
		began := time.Now()
		var n int64
		err := in.Tx().QueryRow(ctx, "SELECT count(*) FROM usable_interviews WHERE client_id = $1", c.id).Scan(&n)
		if err == nil && n != c.total {
			err = fmt.Errorf("the total is %d and the count %d", c.total, n)
		}
		c.counting = append(c.counting, time.Since(began))
		return err
	})
}

func report(ctx context.Context, conn *pgx.Conn, clients []*client) error {
	keeper := measurement.NewKeeper(conn)
	fmt.Println("interviews     total  reading it (median)  counting (median)  an audit")
	for _, c := range clients {
		found, err := keeper.Clients(ctx, c.id.String())
		if err != nil {
			return err
		}
		audit, err := keeper.Audit(ctx, found[0])
		if err != nil {
			return err
		}
		fmt.Printf("%10d  %8d  %19v  %17v  %7.2fs\n", c.interviews, c.total,
			median(c.reading).Round(time.Microsecond), median(c.counting).Round(10*time.Microsecond), audit.Seconds)
	}
	first, last := clients[0], clients[len(clients)-1]
	fmt.Printf("reading the total, %d against %d interviews: %.2f times\n", last.interviews, first.interviews,
		median(last.reading).Seconds()/median(first.reading).Seconds())
	return nil
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[len(sorted)/2]
}
