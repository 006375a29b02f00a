//go:build linux

// Command overload drives a server of its own into overload, in one way after
// the other, and prints how much later other keys' requests are answered
// meanwhile: their p99 beside the p99 without any load, in the same run.
//
//	go run ./internal/faults/overload
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/corpus"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/rig"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	rounds := flag.Int("rounds", 2, "rounds of each kind of load")
	seconds := flag.Duration("time", 6*time.Second, "length of each measurement")
	flag.Parse()
	err := run(ctx, *rounds, *seconds)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		os.Exit(1)
	}
}

// stage is the server and what stands behind it.
type stage struct {
	server *rig.Server
	owner  *pgx.Conn
}

func run(ctx context.Context, rounds int, length time.Duration) error {
	base, err := rig.Prepare(ctx, false)
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
	conn, err := pgx.Connect(ctx, pg.OwnerURL())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	postgres.RegisterTypes(conn)
	s := &stage{server, conn}

	fmt.Printf("%-15s %9s %9s %7s  %-22s %-34s %9s %s\n",
		"load", "p99 alone", "p99 then", "factor", "others' statuses", "the load's statuses", "server MB", "slowest 503")
	failed := false
	for _, l := range loads() {
		measured, err := s.measure(ctx, l, rounds, length)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Println(measured)
		failed = failed || !measured.kept()
	}
	if failed {
		return errors.New("a promise was broken: see the marked lines")
	}
	return nil
}

// fill imports one brand with a long history, and the brand that probes.
func fill(ctx context.Context, base *rig.Base, pg *rig.Postgres) error {
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 10_000, Campaigns: 12, Synthesis: 20},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 90_000, Campaigns: 12, TranscriptShare: -1},
		},
	}); err != nil {
		return err
	}
	c, err := base.Start(pg.OwnerURL(), "import", "-")
	if err != nil {
		return err
	}
	if _, err := c.Stdin.Write([]byte(file.String())); err != nil {
		return err
	}
	_ = c.Stdin.Close()
	if _, stderr, err := c.Output(5 * time.Minute); err != nil || ctx.Err() != nil {
		return fmt.Errorf("importing: %w: %s", err, stderr)
	}
	return nil
}

// keys issues fresh keys with every scope.
func (s *stage) keys(ctx context.Context, client string, n int) ([]string, error) {
	keys := make([]string, n)
	for i := range keys {
		issued, err := apikey.NewRegistry(s.owner).Issue(ctx, apikey.Request{Client: client, Name: "overload", Scopes: access.All()})
		if err != nil {
			return nil, err
		}
		keys[i] = issued.Key
	}
	return keys, nil
}
