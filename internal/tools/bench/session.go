//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
)

// session is one call's surroundings.
type session struct {
	options
	out      io.Writer
	progress io.Writer
	began    time.Time
	// dir has what belongs to this call, self is this program.
	dir, self string
	base      *cluster.Base
	pg        *cluster.Postgres
	// now is the build of this tree, before the one named with -other, or nil.
	now, before *build
	jobs        uint64
}

// build is a program and the database that it made and filled itself: another build may
// have another schema.
type build struct {
	name    string // of the database too
	base    cluster.Base
	admin   *pgx.Conn // as the superuser
	clients map[string]*client
}

// client is one of the corpus, in one database.
type client struct {
	slug      string
	id        uuid.UUID
	usable    int
	positions []position
}

func (s *session) logf(format string, args ...any) {
	fmt.Fprintf(s.progress, "%6.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// measure is the whole benchmark. A wrong response ends its part, not the call.
func measure(ctx context.Context, o options, out, progress io.Writer) error {
	s := &session{options: o, out: out, progress: progress, began: time.Now()}
	errs := []error{s.prepare(ctx)}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"page", s.measurePages},
		{"memory", s.measureMemory},
		{"routes", s.measureRoutes},
	} {
		if errs[0] != nil || ctx.Err() != nil || !o.only.MatchString(part.name) {
			continue
		}
		s.logf("%s", part.name)
		if err := part.run(ctx); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", part.name, err))
		}
	}
	return errors.Join(append(errs, s.close())...)
}

func (s *session) prepare(ctx context.Context) error {
	var err error
	if s.self, err = os.Executable(); err != nil {
		return err
	}
	if s.dir, err = os.MkdirTemp("", "clientintel-bench-"); err != nil {
		return err
	}
	if err := os.Chmod(s.dir, 0o755); err != nil { // PostgreSQL, started by root, is another user
		return err
	}
	if s.base, err = cluster.Prepare(ctx, false); err != nil {
		return err
	}
	if s.data != "" {
		if err := os.MkdirAll(s.data, 0o755); err != nil {
			return err
		}
	}
	// What makes a commit durable is on.
	s.pg, err = s.base.NewPostgres(ctx, s.data, map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "max_connections": "200",
		"shared_buffers": s.scale.shared, "max_wal_size": "8GB", "checkpoint_timeout": "30min",
	})
	if err != nil {
		return err
	}
	if s.now, err = s.open(ctx, "bench_"+s.name, s.base.Program); err != nil {
		return err
	}
	if s.other != "" {
		if s.before, err = s.open(ctx, "bench_"+s.name+"_before", s.other); err != nil {
			return err
		}
	}
	if err := baseline.Prepare(ctx, s.now.admin); err != nil {
		return fmt.Errorf("making the baseline server's tables: %w", err)
	}
	return nil
}

// open migrates and fills a program's database. A client that is there is there whole, so
// that a call that was ended goes on.
func (s *session) open(ctx context.Context, name, program string) (*build, error) {
	b := &build{name: name, base: cluster.Base{Program: program}, clients: map[string]*client{}}
	url := s.pg.URLOf(embedded.Owner, name)
	var err error
	if b.admin, err = pgx.Connect(ctx, s.pg.URLOf(embedded.Superuser, name)); err != nil { // it is not there yet
		conn, err := s.pg.Connect(ctx)
		if err != nil {
			return nil, err
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+name+" OWNER "+embedded.Owner); err != nil {
			return nil, err
		}
		if b.admin, err = pgx.Connect(ctx, s.pg.URLOf(embedded.Superuser, name)); err != nil {
			return nil, err
		}
	}
	// Another build may make roles of its own.
	if _, err := b.admin.Exec(ctx, "ALTER ROLE "+embedded.Owner+" CREATEROLE"); err != nil {
		return nil, fmt.Errorf("preparing %s: %w", name, err)
	}
	if _, err := b.base.Run(url, "", "migrate"); err != nil {
		return nil, err
	}
	for _, c := range s.scale.clients() {
		var there bool
		if err := b.admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM clients AS c WHERE c.slug = $1)", c.Slug).Scan(&there); err != nil {
			return nil, err
		}
		if there {
			continue
		}
		s.logf("importing %s into %s", c.Slug, name)
		if err := importClient(b, url, c); err != nil {
			return nil, err
		}
	}
	for _, statement := range []string{"VACUUM (ANALYZE)", "CHECKPOINT", "CREATE EXTENSION IF NOT EXISTS pg_prewarm",
		"SELECT sum(pg_prewarm(c.oid::regclass)) FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')"} {
		if _, err := b.admin.Exec(ctx, statement); err != nil {
			return nil, fmt.Errorf("%s: %w", statement, err)
		}
	}
	rows, err := b.admin.Query(ctx, `SELECT c.slug, c.id, count(*) FILTER (WHERE i.usable)
		FROM clients AS c JOIN interviews AS i ON i.client_id = c.id GROUP BY c.slug, c.id`)
	if err != nil {
		return nil, err
	}
	var c client
	_, err = pgx.ForEachRow(rows, []any{&c.slug, &c.id, &c.usable}, func() error {
		b.clients[c.slug] = new(c)
		return nil
	})
	return b, err
}

// importClient imports one client as an operator would.
func importClient(b *build, url string, c corpus.ClientOptions) error {
	command, err := b.base.Start(url, "import", "-")
	if err != nil {
		return err
	}
	_, generated := corpus.Generate(command.Stdin, corpus.Options{Seed: 1, From: spanFrom, To: spanTo, Clients: []corpus.ClientOptions{c}})
	_ = command.Stdin.Close()
	if _, stderr, err := command.Output(time.Hour); err != nil {
		return fmt.Errorf("importing %s: %w: %s", c.Slug, err, stderr)
	}
	return generated
}

func (s *session) close() error {
	if s.pg != nil {
		s.pg.Stop()
	}
	if s.base != nil {
		s.base.Close()
	}
	return os.RemoveAll(s.dir)
}
