package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clearStalePID lets the cluster start after a server that this package did not stop. This
// process has the server lock, so a server that runs is an orphan: its parent was killed.
// On Linux it is already shutting down.
//
// After a power loss the process id may be in use again: postgres would take that process
// for a server. Without the file postgres could not find leftover backends, so only the id
// is replaced, by that of this process: postgres ignores the id of its parent.
func (c *Cluster) clearStalePID(ctx context.Context, data string) error {
	// Root must not write where the account of the server lets a link point.
	f, err := os.OpenFile(filepath.Join(data, "postmaster.pid"), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no server left one
	}
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	line, rest, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		return nil // a power loss tore it, which postgres reports
	}
	if err := c.stopOrphan(ctx, pid, data); err != nil {
		return err
	}
	// A regular shutdown has removed the file, and this changes nothing.
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0)
	}
	return err
}

func (c *Cluster) stopOrphan(ctx context.Context, pid int, data string) error {
	if !serves(pid, data) {
		return nil
	}
	c.log.Info("stopping the PostgreSQL of a process that was killed", "pid", pid)
	_ = syscall.Kill(pid, syscall.SIGINT)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if !serves(pid, data) {
			return nil
		}
		if err := sleep(ctx, pollInterval); err != nil {
			return err
		}
	}
	return fmt.Errorf("process %d, a PostgreSQL of %s whose parent was killed, does not stop: end it first", pid, data)
}
