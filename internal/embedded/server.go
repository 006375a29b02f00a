package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	readyTimeout    = time.Minute
	recoveryTimeout = 10 * time.Minute
	logLimit        = 10 << 20
)

// settings suit a trial: modest memory, imports in large transactions, and a log
// of warnings without the text of statements.
var settings = map[string]string{
	"shared_buffers":          "256MB",
	"work_mem":                "16MB",
	"maintenance_work_mem":    "128MB",
	"max_connections":         "100",
	"max_wal_size":            "2GB",
	"checkpoint_timeout":      "15min",
	"wal_compression":         "on",
	"random_page_cost":        "1.1",
	"jit":                     "off",
	"timezone":                "UTC",
	"log_timezone":            "UTC",
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
		"unix_socket_permissions": "0700",
		"logging_collector":       "off",
		"log_destination":         "stderr",
	})
	args := []string{"-D", data}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		args = append(args, "-c", name+"="+all[name])
	}
	return args
}

// startServer returns a server that takes connections. When it fails or ctx
// ends, nothing is left running.
func (c *Cluster) startServer(ctx context.Context, a account, p programs, socket, password string) (*process, error) {
	out, offset, err := c.dir.openLog()
	if err != nil {
		return nil, err
	}
	defer out.Close() // the server has its own handle
	cmd := a.command(c.dir.cluster(p.major), p.postgres(), serverArgs(c.dir.data(p.major), socket, c.opts.Settings)...)
	cmd.Stdout, cmd.Stderr = out, out
	s, err := startProcess(cmd)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.postgres(), err)
	}
	err = c.awaitReady(ctx, s, socketURL(socket, Superuser, password, "postgres"))
	if err == nil {
		return s, nil
	}
	if stopErr := c.stopServer(s); stopErr != nil {
		return nil, errors.Join(err, stopErr)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("%w; the end of %s%s", err, c.dir.log(), quote(logFrom(out, offset), 12))
}

// awaitReady waits for a connection, longer while the server reports that it
// recovers from a crash.
func (c *Cluster) awaitReady(ctx context.Context, s *process, url string) error {
	begun := time.Now()
	report := every(10*time.Second, 3*time.Second)
	for {
		err := canConnect(ctx, url)
		switch {
		case err == nil:
			return nil
		case s.ended():
			return fmt.Errorf("PostgreSQL ended while starting (%w)", s.err)
		case isCode(err, invalidPassword):
			return fmt.Errorf("%s is not the password that the cluster was made with: restore it from a backup", filepath.Join(c.dir.dir, passwordFile))
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		timeout := readyTimeout
		if isCode(err, cannotConnectNow) {
			timeout = recoveryTimeout
		}
		if time.Since(begun) > timeout {
			return fmt.Errorf("PostgreSQL does not answer after %s: %w", timeout, err)
		}
		if report() {
			c.log.Info("PostgreSQL is still starting; it may be recovering from a crash", "says", err.Error(), "log", c.dir.log())
		}
		if err := sleep(ctx, pollInterval/2); err != nil {
			return err
		}
	}
}

// The SQLSTATEs of a connection that is refused.
const (
	invalidPassword  = "28P01"
	cannotConnectNow = "57P03"
)

func isCode(err error, code string) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refused.Code == code
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

// openLog opens the server's log and returns the offset of this start's part. It
// renames a large one first, so that two files bound the log.
func (h dataDir) openLog() (*os.File, int64, error) {
	if info, err := os.Lstat(h.log()); err == nil && info.Size() > logLimit {
		if err := os.Rename(h.log(), h.log()+".1"); err != nil {
			return nil, 0, dirError(h.dir, err)
		}
	}
	f, err := h.openFile("postgres.log")
	if err != nil {
		return nil, 0, err
	}
	offset, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, dirError(h.dir, err)
	}
	return f, offset, nil
}

func logFrom(f *os.File, offset int64) string {
	text, err := io.ReadAll(io.NewSectionReader(f, offset, 64<<10))
	if err != nil {
		return err.Error()
	}
	return string(text)
}
