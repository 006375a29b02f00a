// Command admitbench measures what a request pays at the door: admissions a
// second and bytes of write-ahead log, log row and outcome included, for groups
// of several sizes and for the limiter as the server runs it.
//
//	go run ./internal/ratelimit/admitbench -keys 5000 -window 250
//
// Databases named with -on are measured in turns instead of one of its own, to
// compare two versions of the schema: they must be migrated, and lose their keys.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

func main() {
	var s settings
	flag.IntVar(&s.keys, "keys", 5000, "keys that take turns at random")
	flag.IntVar(&s.window, "window", 250, "requests that each key has in its window")
	flag.DurationVar(&s.each, "each", time.Second, "how long each measurement takes")
	flag.IntVar(&s.rounds, "rounds", 5, "rounds to take the median of")
	on := flag.String("on", "", "URLs of databases, separated by commas")
	only := flag.String("only", "", "measure only what has this in its name")
	flag.Parse()
	s.only = *only
	if err := run(context.Background(), s, *on); err != nil {
		log.Fatal(err)
	}
}

type settings struct {
	keys, window, rounds int
	each                 time.Duration
	only                 string
}

func run(ctx context.Context, s settings, on string) error {
	if on != "" {
		return compare(ctx, s, strings.Split(on, ","))
	}
	dir, err := os.MkdirTemp("", "admitbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// A server started by root runs as another user.
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	cluster, err := embedded.Open(ctx, embedded.Options{
		Dir: filepath.Join(dir, "cluster"),
		// Full-page images depend on the checkpoints, not on what is admitted.
		Settings: map[string]string{"full_page_writes": "off"},
	})
	if err != nil {
		return err
	}
	defer cluster.Close(ctx)
	if _, err := postgres.Migrate(ctx, cluster.OwnerURL()); err != nil {
		return err
	}
	return compare(ctx, s, []string{cluster.OwnerURL()})
}

func compare(ctx context.Context, s settings, urls []string) error {
	doors := make([]*door, len(urls))
	for i, url := range urls {
		doors[i] = &door{url: url, found: map[string][]figures{}}
		if err := doors[i].fill(ctx, s); err != nil {
			return err
		}
	}
	for round := range s.rounds {
		for i := range doors {
			// Each goes first as often as the other.
			if err := doors[(i+round)%len(doors)].measure(ctx, s); err != nil {
				return err
			}
		}
	}
	report(doors)
	return nil
}

type figures struct {
	perSecond, walBytes float64
	median, high, cpu   time.Duration
}

func report(doors []*door) {
	fmt.Println("what                     database  admissions/s  WAL bytes each  median     p99        CPU each")
	for _, name := range names() {
		for i, d := range doors {
			f := d.found[name]
			if len(f) == 0 {
				continue
			}
			fmt.Printf("%-24s %8d  %12.0f  %14.0f  %-9v  %-9v  %v\n", name, i+1,
				median(f, func(f figures) float64 { return f.perSecond }),
				median(f, func(f figures) float64 { return f.walBytes }),
				time.Duration(median(f, func(f figures) float64 { return float64(f.median) })).Round(time.Microsecond),
				time.Duration(median(f, func(f figures) float64 { return float64(f.high) })).Round(time.Microsecond),
				time.Duration(median(f, func(f figures) float64 { return float64(f.cpu) })).Round(100*time.Nanosecond))
		}
	}
}

func median(found []figures, of func(figures) float64) float64 {
	values := make([]float64, len(found))
	for i, f := range found {
		values[i] = of(f)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func exec(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
