package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// readPID returns the process id in postmaster.pid, 0 where no server left one.
func readPID(data string) (int, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(line)) // what a power loss tore is reported by postgres
	return max(pid, 0), nil
}

// clearStalePID lets the cluster start after a server that this package did not stop. This
// process has the server lock, so a server that runs is an orphan: its parent was killed.
// On Linux it is already shutting down.
//
// After a power loss the process id may be in use again: postgres would take that process
// for a server. Without the file postgres could not find leftover backends, so only the id
// is replaced, by that of this process: postgres ignores the id of its parent.
func (c *Cluster) clearStalePID(ctx context.Context, data string) error {
	pid, err := readPID(data)
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	if pid == 0 {
		return nil
	}
	if err := c.stopOrphan(ctx, pid, data); err != nil {
		return err
	}
	path := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed by a regular shutdown
	}
	if err == nil {
		_, rest, _ := strings.Cut(string(text), "\n")
		err = os.WriteFile(path, fmt.Appendf(nil, "%d\n%s", os.Getpid(), rest), 0o600)
	}
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	return nil
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
