//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/clientintel/clientintel/internal/embedded"
)

// NewStandby makes a streaming standby of the cluster and starts it.
func (b *Base) NewStandby(ctx context.Context, primary *Postgres) (*Postgres, error) {
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
	if _, err := primary.Run(ctx, "pg_basebackup", "--pgdata", standby.data(), "--wal-method=stream", "--checkpoint=fast", "--write-recovery-conf",
		"--host", primary.Dir, "--port", primary.Port(), "--username", embedded.Superuser); err != nil {
		return nil, err
	}
	return standby, standby.Start(ctx)
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
