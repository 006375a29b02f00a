package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
	"github.com/clientintel/clientintel/sql/migrations"
)

// session is one call's surroundings.
type session struct {
	options
	// dir holds binaries and logs of this call, home what outlives it with -data.
	dir, home string
	began     time.Time
	progress  io.Writer

	cluster *embedded.Cluster
	admin   *pgx.Conn // as the superuser
	// postmaster is PostgreSQL's first process.
	postmaster int
	// self is this program; product the release build of the server, open one
	// whose admission can be switched off; pgbench is empty when not installed.
	self, product, open, pgbench string

	clients  map[string]*client
	keyPools map[string]*keyPool
	jobs     uint64
	// worstSearch is the slowest of the searches measured.
	worstSearch string
	report      report
}

// client is one of the corpus.
type client struct {
	slug      string
	id        uuid.UUID
	usable    int
	positions []position
}

func (s *session) logf(format string, args ...any) {
	fmt.Fprintf(s.progress, "%6.1fs  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// measure is the whole benchmark.
func measure(ctx context.Context, o options, out, stderr io.Writer) error {
	s := &session{
		options: o, began: time.Now(), progress: stderr,
		clients: map[string]*client{}, keyPools: map[string]*keyPool{}, report: report{rows: map[string]*row{}},
	}
	if err := s.prepare(ctx); err != nil {
		return errors.Join(err, s.close(ctx))
	}
	errs := []error{s.measureAll(ctx), s.close(ctx)}
	if err := s.report.print(out, s.options); err != nil {
		return err
	}
	if o.json != "" {
		errs = append(errs, s.report.writeJSON(o.json))
	}
	if o.complete {
		errs = append(errs, s.report.missing(o))
	}
	return errors.Join(errs...)
}

// measureAll takes the measures one after another. A wrong response ends its
// measure, not the call.
func (s *session) measureAll(ctx context.Context) error {
	var errs []error
	for _, m := range []struct {
		goals []string
		run   func(context.Context) error
	}{
		{[]string{"1", "2a", "3", "13"}, s.measurePage},
		{[]string{"2b"}, s.measureOneConnection},
		{[]string{"4"}, s.measureCanonical},
		{[]string{"4b"}, s.measureFirstPage},
		{[]string{"5"}, s.measureGrowth},
		{[]string{"6"}, s.measureWAL},
		{[]string{"7"}, s.measureTranscripts},
		{[]string{"8"}, s.measureAnalytics},
		{[]string{"9", "10"}, s.measureSearch},
		{[]string{"11"}, s.measurePagesBesideSearch},
		{[]string{"12"}, s.measureImport},
		{[]string{"20"}, s.measureFolding},
		{[]string{"14"}, s.measureExactness},
		{[]string{"16", "17", "18", "19"}, s.measureConcurrency},
		{[]string{"21", "22"}, s.measureDocuments},
		{[]string{"23"}, s.measureTools},
		{[]string{"24"}, s.measureTenfold},
		{[]string{"15"}, s.measureStart}, // last: it takes PostgreSQL away
	} {
		if !s.wants(m.goals...) || ctx.Err() != nil {
			continue
		}
		if err := m.run(ctx); err != nil {
			s.logf("goals %v: %v", m.goals, err)
			errs = append(errs, fmt.Errorf("goals %v: %w", m.goals, err))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

func (s *session) prepare(ctx context.Context) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "clientintel-bench-"); err != nil {
		return err
	}
	// A PostgreSQL started by root runs as another user.
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return err
	}
	if s.home = s.data; s.home == "" {
		s.home = filepath.Join(s.dir, "data")
	}
	loaded, err := checkData(s.home, s.scale)
	if err != nil {
		return err
	}
	if err := s.build(ctx); err != nil {
		return err
	}
	s.logf("starting PostgreSQL in %s", s.home)
	if s.cluster, err = openCluster(ctx, s.home, s.scale); err != nil {
		return err
	}
	if s.cluster.Attached() {
		return fmt.Errorf("another process runs the PostgreSQL of %s: end it first", s.home)
	}
	if loaded {
		_, err = postgres.Migrate(ctx, s.cluster.OwnerURL(), migrations.Files, slog.New(slog.DiscardHandler))
	} else {
		err = fill(ctx, s.cluster, s.scale, s.home, s.logf)
	}
	if err != nil {
		return err
	}
	return s.connect(ctx)
}

// build makes the server as it is released, and the build for this benchmark.
func (s *session) build(ctx context.Context) error {
	var err error
	if s.self, err = os.Executable(); err != nil {
		return err
	}
	s.product, s.open = filepath.Join(s.dir, "clientintel"), filepath.Join(s.dir, "clientintel-open")
	s.logf("building the server")
	for _, args := range [][]string{
		{"-o", s.product, "-tags", "grpcnotrace"}, // as make build has it
		{"-o", s.open, "-tags", "grpcnotrace,clientintel_benchmark"},
	} {
		args = append(append([]string{"build", "-trimpath", "-buildvcs=false"}, args...), "github.com/clientintel/clientintel/cmd/clientintel")
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building the server: %w: %s", err, out)
		}
	}
	return nil
}

func (s *session) connect(ctx context.Context) error {
	var err error
	if s.admin, err = pgx.Connect(ctx, s.cluster.URL(embedded.Superuser, embedded.Database)); err != nil {
		return err
	}
	s.logf("vacuuming, and reading tables into memory")
	if err := warm(ctx, s.admin, s.wants("9", "10", "11", "24_search_common", "24_search_rare", "24_search_phrase", "24_search_scan"), s.logf); err != nil {
		return err
	}
	backend, err := statOf(int(s.admin.PgConn().PID()))
	if err != nil {
		s.logf("without /proc neither CPU time nor memory is told: %v", err)
	}
	s.postmaster = backend.parent
	if s.pgbench, err = findPgbench(ctx, s.admin); err != nil {
		return err
	}
	rows, err := s.admin.Query(ctx, `SELECT c.slug, c.id, count(*) FILTER (WHERE i.usable)
		FROM clients AS c JOIN interviews AS i ON i.client_id = c.id GROUP BY c.slug, c.id`)
	if err != nil {
		return err
	}
	var c client
	if _, err := pgx.ForEachRow(rows, []any{&c.slug, &c.id, &c.usable}, func() error {
		found := c
		s.clients[c.slug] = &found
		return nil
	}); err != nil {
		return err
	}
	owner, err := pgx.Connect(ctx, s.cluster.OwnerURL())
	if err != nil {
		return err
	}
	defer owner.Close(ctx)
	return baseline.Prepare(ctx, owner)
}

func (s *session) close(ctx context.Context) error {
	// The context may have ended, and still everything is put away.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	if s.admin != nil {
		_ = s.admin.Close(ctx)
	}
	var err error
	if s.cluster != nil {
		err = s.cluster.Close(ctx)
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}
