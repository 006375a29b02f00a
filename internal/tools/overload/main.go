//go:build linux

// Command overload sends a server of its own one kind of load after the other, and
// prints how another client (20 keys, one request a second each) is affected: its refused
// requests, and its p99 with and without the load in the same run. It fails if one is
// refused, or if the p99 is above both 100 ms and three times the p99 without the load.
//
// Each load runs in a process of its own with low priority, so that the other client is
// delayed by the server and not by the load generator.
//
//	go run ./internal/tools/overload
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	rounds := flag.Int("rounds", 2, "rounds of each kind of load")
	seconds := flag.Duration("time", 6*time.Second, "length of each measurement")
	only := flag.String("only", "", "a regular expression that a load's name matches")
	flag.Parse()
	var err error
	if flag.Arg(0) == loadCommand {
		err = runLoad(ctx, flag.Args()[1:])
	} else {
		var pattern *regexp.Regexp
		if pattern, err = regexp.Compile(*only); err == nil {
			err = run(ctx, pattern, *rounds, *seconds)
		}
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		os.Exit(1)
	}
}

// environment is the server and its database.
type environment struct {
	base   *cluster.Base
	server *cluster.Server
	pg     *cluster.Postgres
}

func run(ctx context.Context, only *regexp.Regexp, rounds int, length time.Duration) error {
	base, err := cluster.Prepare(ctx, false)
	if err != nil {
		return err
	}
	defer base.Close()
	pg, err := base.NewPostgres(ctx, "", map[string]string{"shared_buffers": "256MB", "max_connections": "100"})
	if err != nil {
		return err
	}
	defer pg.Stop()
	if err := fill(ctx, base, pg); err != nil {
		return err
	}
	server, err := base.StartServer(ctx, pg.OwnerURL())
	if err != nil {
		return err
	}
	defer server.Kill()
	s := &environment{base, server, pg}

	fmt.Printf("%-16s %9s %9s %7s  %-34s %9s  %s\n",
		"load", "p99 alone", "p99 then", "refused", "the load's statuses", "server MB", "slowest 503")
	failed := false
	for _, l := range loads() {
		if !only.MatchString(l.name) {
			continue
		}
		measured, err := s.measure(ctx, l, rounds, length)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Println(measured)
		failed = failed || !measured.promisesHeld()
	}
	if failed {
		return errors.New("a promise was broken: see the marked lines")
	}
	return nil
}

// fill imports clients with a long history and with large pages, and the one that probes.
func fill(ctx context.Context, base *cluster.Base, pg *cluster.Postgres) error {
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 10_000, Campaigns: 12, Synthesis: 20},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 90_000, Campaigns: 12, TranscriptShare: -1},
			{Slug: "initech", Mode: corpus.ModeCanonical, Interviews: 9_000, Campaigns: 3, TranscriptShare: -1},
		},
	}); err != nil {
		return err
	}
	if err := base.Import(pg, file.String()); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, pg.OwnerURL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	// Pages of 6 MB.
	_, err = conn.Exec(ctx, `UPDATE interviews SET transcript = jsonb_build_array(jsonb_build_object('text', repeat('words ', 5000)))
		WHERE (client_id, id) IN (
			SELECT client_id, id FROM usable_interviews WHERE client_id = (SELECT id FROM clients WHERE slug = 'initech')
			ORDER BY created_at DESC, id LIMIT 400)`)
	return err
}
