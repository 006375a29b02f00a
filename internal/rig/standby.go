//go:build linux

package rig

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
	standby := &Postgres{
		Dir: dir, program: primary.program, settings: primary.settings, uid: primary.uid, gid: primary.gid,
	}
	backup := exec.CommandContext(ctx, filepath.Join(filepath.Dir(primary.program), "pg_basebackup"),
		"--pgdata", standby.data(), "--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast",
		"--host", primary.Dir, "--port", "5432", "--username", embedded.Superuser)
	backup.Dir, backup.SysProcAttr = dir, primary.asServer()
	if out, err := backup.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("copying the primary: %w: %s", err, out)
	}
	return standby, standby.Start(ctx)
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
