package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// settings suit a trial: modest memory, imports in large transactions, and a log
// of warnings without the text of statements.
var settings = map[string]string{
	"shared_buffers":          "256MB",
	"work_mem":                "16MB",
	"maintenance_work_mem":    "128MB",
	"max_wal_size":            "2GB",
	"random_page_cost":        "1.1",
	"jit":                     "off",
	"timezone":                "UTC",
	"log_min_messages":        "warning",
	"log_min_error_statement": "panic",
	"log_checkpoints":         "off",
}

// serverArgs lets the caller's settings override the defaults; the settings that the
// package relies on override both.
func serverArgs(data, socket string, extra map[string]string) []string {
	all := maps.Clone(settings)
	maps.Copy(all, extra)
	maps.Copy(all, map[string]string{
		"listen_addresses":        "",
		"port":                    port,
		"unix_socket_directories": `"` + strings.ReplaceAll(socket, `"`, `""`) + `"`,
	})
	args := []string{"-D", data}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

// startServer returns a server that takes connections. When it fails or ctx
// ends, nothing is left running.
func (c *Cluster) startServer(ctx context.Context, a account, p programs, socket string) (*process, error) {
	out, err := c.dir.openFile("postgres.log")
	if err != nil {
		return nil, err
	}
	defer out.Close() // the server has its own handle
	before, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, dirError(c.dir.dir, err)
	}
	cmd := a.command(c.dir.cluster(p.major), p.postgres(), serverArgs(c.dir.data(p.major), socket, c.opts.Settings)...)
	cmd.Stdout, cmd.Stderr = out, out
	s, err := startProcess(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.postgres(), err)
	}
	err = c.awaitReady(ctx, s, socketURL(socket, Superuser, "postgres"))
	if err == nil {
		return s, nil
	}
	if stopErr := c.stopServer(s); stopErr != nil {
		return nil, errors.Join(err, stopErr)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	said, _ := io.ReadAll(io.NewSectionReader(out, before, 64<<10)) // what went wrong is in err
	return nil, fmt.Errorf("%w; the end of %s%s", err, c.dir.log(), quote(string(said), 12))
}

// cannotConnectNow is the SQLSTATE of a server that starts, recovers or stops.
const cannotConnectNow = "57P03"

// awaitReady waits for a connection, however long the server recovers from a crash.
func (c *Cluster) awaitReady(ctx context.Context, s *process, url string) error {
	defer c.logAfter(3*time.Second, "PostgreSQL is still starting; it may be recovering from a crash", "log", c.dir.log())()
	for {
		err := canConnect(ctx, url)
		refused, ok := errors.AsType[*pgconn.PgError](err)
		switch {
		case err == nil:
			return nil
		case s.ended():
			return fmt.Errorf("PostgreSQL ended while starting (%w)", s.err)
		case ok && refused.Code != cannotConnectNow:
			return err
		}
		if err := sleep(ctx, pollInterval/2); err != nil {
			return err
		}
	}
}

func canConnect(ctx context.Context, url string) error {
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// stopServer is a fast shutdown: sessions are ended, the data is written out. If
// that takes too long, the next start replays the log instead.
func (c *Cluster) stopServer(s *process) error {
	if s.stop(syscall.SIGINT, 30*time.Second) || s.stop(syscall.SIGQUIT, 15*time.Second) {
		return nil
	}
	return fmt.Errorf("PostgreSQL (process %d) does not stop; see %s", s.pid, c.dir.log())
}
