package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

// bare may read what the server may, and is not held by row-level security.
const bare = `
	CREATE ROLE plans_bare LOGIN BYPASSRLS;
	GRANT clientintel_server TO plans_bare`

// price times each query as the server runs it, snapshot and all, behind
// row-level security and past it. The two take turns, so that what else the
// machine does meets both.
func price(ctx context.Context, cluster *embedded.Cluster, s sample, rounds int) error {
	admin, err := pgx.Connect(ctx, cluster.URL(embedded.Superuser, embedded.Database))
	if err != nil {
		return err
	}
	defer admin.Close(ctx)
	if _, err := admin.Exec(ctx, bare); err != nil {
		return err
	}
	settings := postgres.PoolSettings{Size: 1, StatementTimeout: time.Minute, AcquireTimeout: time.Minute}
	var pools [2]*postgres.Pool
	for i, url := range []string{cluster.URL("plans_bare", embedded.Database), cluster.ServerURL()} {
		settings.URL, settings.AsOwner = url, i == 0
		if pools[i], err = postgres.OpenPool(ctx, settings); err != nil {
			return err
		}
		defer pools[i].Close()
	}
	fmt.Printf("%-52s %21s %21s\n%-52s %21s %21s %7s\n", "", "without row security", "with it", "microseconds", "p50 p95", "p50 p95", "p50")
	for _, q := range slices.Concat(queries(s), documentQueries(s)) {
		var took [2][]time.Duration
		for round := range rounds {
			for turn := range pools {
				i := (round + turn) % len(pools)
				one, err := timeOne(ctx, pools[i], s, q)
				if err != nil {
					return fmt.Errorf("%s: %w", q.name, err)
				}
				took[i] = append(took[i], one)
			}
		}
		without, behind := quantiles(took[0]), quantiles(took[1])
		fmt.Printf("%-52s %12d %8d %12d %8d %+6.1f%%\n", q.name, without[0], without[1], behind[0], behind[1],
			100*(float64(behind[0])/float64(without[0])-1))
	}
	return nil
}

func timeOne(ctx context.Context, pool *postgres.Pool, s sample, q query) (time.Duration, error) {
	began := time.Now()
	err := pool.Read(ctx, s.client, func(ctx context.Context, in *postgres.Snapshot) error {
		rows, err := in.Tx().Query(ctx, q.sql, arguments(q.params)...)
		if err != nil {
			return err
		}
		rows.Close()
		return rows.Err()
	})
	return time.Since(began), err
}

// quantiles are the median and the 95th percentile in microseconds, after a
// tenth to warm up: the first runs plan.
func quantiles(took []time.Duration) [2]int64 {
	warm := slices.Sorted(slices.Values(took[len(took)/10:]))
	return [2]int64{warm[len(warm)/2].Microseconds(), warm[len(warm)*95/100].Microseconds()}
}
