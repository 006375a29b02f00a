//go:build linux

package cluster

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
)

// NewStandby makes a streaming standby of the cluster and starts it.
func (b *Base) NewStandby(ctx context.Context, primary *Postgres) (*Postgres, error) {
	standby, err := b.backUp(ctx, primary, "--write-recovery-conf")
	if err != nil {
		return nil, err
	}
	return standby, standby.Start(ctx)
}

// Archiving are the settings of a cluster whose WAL is kept, beside its data.
func Archiving() map[string]string {
	return map[string]string{
		"archive_mode": "on", "archive_command": "mkdir -p ../archive && cp %p ../archive/%f",
	}
}

// AwaitArchived waits until the archive has all WAL written so far.
func (p *Postgres) AwaitArchived(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.URLOf(embedded.Superuser, "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var last string
	if err := conn.QueryRow(ctx, "SELECT pg_walfile_name(pg_switch_wal())").Scan(&last); err != nil {
		return err
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var done bool
		if err := conn.QueryRow(ctx, "SELECT coalesce(last_archived_wal >= $1, false) FROM pg_stat_archiver", last).Scan(&done); err != nil || done {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s is not archived", last)
		}
	}
}

// BackUp copies a running cluster. Recover starts the copy.
func (b *Base) BackUp(ctx context.Context, primary *Postgres) (*Postgres, error) {
	return b.backUp(ctx, primary)
}

// Recover starts a copy of a cluster that archived, goes on from its archive to
// a point in time, and leaves it as a primary.
func (p *Postgres) Recover(ctx context.Context, archived *Postgres, to string) error {
	return p.recover(ctx, archived, "recovery_target_time", to)
}

func (p *Postgres) recover(ctx context.Context, archived *Postgres, target, to string) error {
	signal := filepath.Join(p.data(), "recovery.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return err
	}
	if err := os.Lchown(signal, p.uid, p.gid); err != nil {
		return err
	}
	p.settings = maps.Clone(p.settings)
	maps.Copy(p.settings, map[string]string{
		"restore_command": "cp " + filepath.Join(archived.Dir, "archive") + "/%f %p",
		target:            to, "recovery_target_action": "promote",
	})
	return p.Start(ctx)
}

func (b *Base) backUp(ctx context.Context, primary *Postgres, further ...string) (*Postgres, error) {
	if err := primary.allowReplication(ctx); err != nil {
		return nil, err
	}
	dir := filepath.Join(b.dir, strconv.FormatInt(b.copies.Add(1), 10))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.Lchown(dir, primary.uid, primary.gid); err != nil {
		return nil, err
	}
	backup := &Postgres{
		Dir: dir, program: primary.program, settings: primary.settings, uid: primary.uid, gid: primary.gid,
	}
	_, err := primary.Run(ctx, "pg_basebackup", append([]string{
		"--pgdata", backup.data(), "--wal-method=stream", "--checkpoint=fast",
		"--host", primary.Dir, "--port", primary.Port(), "--username", embedded.Superuser,
	}, further...)...)
	return backup, err
}

// Run runs another of PostgreSQL's programs, as the server's account and in its
// directory, and returns what it printed.
func (p *Postgres) Run(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(p.program), program), args...)
	cmd.Dir, cmd.SysProcAttr = p.Dir, p.asServer()
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return string(out), nil
}

// allowReplication lets a standby in through the socket, whose directory is the
// server's own.
func (p *Postgres) allowReplication(ctx context.Context) error {
	file, err := os.OpenFile(filepath.Join(p.data(), "pg_hba.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.WriteString("\nlocal replication all trust\n"); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, p.URL(embedded.Superuser))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	return err
}
