//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

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
