//go:build linux

// Command overload floods servers of its own in one way after the other, and prints how
// another client is affected: 20 keys, each with a request a second, every other on a new
// connection.
//
// Floods without a valid key run behind HAProxy with deploy/haproxy.cfg, where the other
// client must not notice, and then against a server alone, which must survive them and
// serve again within five seconds of their end. Floods with valid keys run against a
// server alone, and no other client may be refused.
//
// All traffic is on the loopback interface; the floods come from addresses of their own.
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

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	length := flag.Duration("time", 10*time.Second, "length of each flood")
	only := flag.String("only", "", "a regular expression that a flood's name matches")
	flag.Parse()
	var err error
	if flag.NArg() > 0 {
		err = runChild(ctx, flag.Args())
	} else {
		err = run(ctx, *only, *length)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "overload:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, length time.Duration) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
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
	s := &environment{base: base, pg: pg, length: length}
	var backends [2]cluster.Backend
	for i := range s.servers {
		if s.servers[i], err = base.StartServer(ctx, pg.OwnerURL()); err != nil {
			return err
		}
		defer s.servers[i].Kill()
		backends[i] = cluster.Backend{API: host(s.servers[i].URL), Operations: host(s.servers[i].OpsURL)}
	}
	directory, err := os.MkdirTemp("", "overload")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	if s.balancer, err = cluster.StartBalancer(ctx, directory, "deploy/haproxy.cfg", backends); err != nil {
		return err
	}
	defer s.balancer.Stop()
	if err := os.Setenv("SSL_CERT_FILE", s.balancer.Certificate); err != nil { // what TLS trusts, in the floods' processes too
		return err
	}
	return s.measureAll(ctx, pattern)
}

// measureAll prints the table.
func (s *environment) measureAll(ctx context.Context, only *regexp.Regexp) error {
	fmt.Println(heading)
	failed := false
	for _, f := range floods() {
		for _, proxied := range []bool{true, false} {
			if !only.MatchString(f.name) || proxied && f.clients != nil {
				continue
			}
			measured, err := s.measure(ctx, f, proxied)
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
			fmt.Println(measured)
			failed = failed || len(measured.broken()) > 0
		}
	}
	if failed {
		return errors.New("a bound was passed: see the ends of the lines")
	}
	return nil
}

func host(url string) string { return strings.TrimPrefix(url, "http://") }

// fill imports the client that is observed, one with a long history, one with large pages,
// and two whose searches take long.
func fill(ctx context.Context, base *cluster.Base, pg *cluster.Postgres) error {
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: observed, Mode: corpus.ModeCanonical, Interviews: 10_000, Campaigns: 12, Synthesis: 20},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: 90_000, Campaigns: 12},
			{Slug: "initech", Mode: corpus.ModeCanonical, Interviews: 9_000, Campaigns: 3},
		},
	}); err != nil {
		return err
	}
	for _, slug := range searching {
		client, letters := uuid.New(), strings.Repeat("a", 1<<20)
		fmt.Fprintf(&file, `{"kind":"client","id":%q,"slug":%q,"name":%q}`+"\n", client, slug, slug)
		for second := range 20 {
			fmt.Fprintf(&file, `{"kind":"interview","id":%q,"client_id":%q,"status":"completed","quality":"passed","reportable":true,`+
				`"client_safe":true,"created_at":"2026-11-20T00:00:%02dZ","custom_extraction":{"primary_pain_points":%q}}`+"\n",
				uuid.New(), client, second, letters)
		}
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
