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

// pidFile is what a running server writes to postmaster.pid.
type pidFile struct {
	pid    int
	socket string // directory; empty while the server is not that far
}

// readPIDFile returns the zero value where no server left its file.
func readPIDFile(data string) (pidFile, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if errors.Is(err, fs.ErrNotExist) {
		return pidFile{}, nil
	}
	if err != nil {
		return pidFile{}, err
	}
	lines := strings.Split(string(text), "\n")
	pid, _ := strconv.Atoi(strings.TrimSpace(lines[0]))
	if pid <= 0 {
		return pidFile{}, nil // torn by a power loss; postgres reports it
	}
	file := pidFile{pid: pid}
	if len(lines) > 5 { // pid, data directory, start time, port, socket directory
		file.socket = strings.TrimSpace(lines[4])
	}
	return file, nil
}

// runningSocket returns the socket directory of the server that runs here, empty if none
// seems to. After an error, waiting does not help.
func (h dataDir) runningSocket() (string, error) {
	major, err := h.newestCluster()
	if err != nil || major == 0 {
		return "", err
	}
	a, err := h.account(h.cluster(major))
	if err != nil {
		return "", err
	}
	if err := a.checkPrivate(h.cluster(major)); err != nil {
		return "", err
	}
	file, err := readPIDFile(h.data(major))
	if err != nil {
		return "", dirError(h.dir, err)
	}
	// None is there while the server is not that far, or where it was stopped.
	if err := a.checkPrivate(file.socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return file.socket, nil
}

// clearStalePID lets the cluster start after a server that this package did not stop. This
// process has the server lock, so a server that the package started is an orphan: its
// parent was killed. On Linux it is already shutting down.
func (c *Cluster) clearStalePID(ctx context.Context, a account, data string) error {
	file, err := readPIDFile(data)
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	if file.pid == 0 || !alive(file.pid) {
		return nil
	}
	if hasArgument(file.pid, data) {
		if err := c.stopOrphan(ctx, file.pid, data); err != nil {
			return err
		}
	} else if worksIn(file.pid, data) {
		return fmt.Errorf("process %d serves %s and was not started by this product: stop it first", file.pid, data)
	}
	// The id now belongs to another process or to a zombie.
	if !alive(file.pid) {
		return nil
	}
	if err := replacePID(a, data); err != nil {
		return dirError(c.dir.dir, err)
	}
	return nil
}

// alive checks an id as postgres checks that of a leftover file: whether this account
// may signal the process. Other accounts' processes do not count.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func (c *Cluster) stopOrphan(ctx context.Context, pid int, data string) error {
	c.log.Info("stopping the PostgreSQL of a process that was killed", "pid", pid)
	for _, try := range []struct {
		signal  syscall.Signal
		timeout time.Duration
	}{{syscall.SIGINT, time.Minute}, {syscall.SIGQUIT, 10 * time.Second}} {
		_ = syscall.Kill(pid, try.signal)
		for end := time.Now().Add(try.timeout); time.Now().Before(end); {
			if !alive(pid) || !hasArgument(pid, data) {
				return nil
			}
			if err := sleep(ctx, pollInterval); err != nil {
				return err
			}
		}
	}
	return fmt.Errorf("process %d, a PostgreSQL of %s whose parent was killed, does not stop: end it first", pid, data)
}

// replacePID handles the file of a server that ended by power loss or SIGKILL and whose
// process id is in use again: postgres would take that process for a server. Without the
// file postgres could not find leftover backends, so only the id is replaced, by that of
// this process: postgres ignores the id of its parent.
func replacePID(a account, data string) error {
	path := filepath.Join(data, "postmaster.pid")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // removed by a regular shutdown
	}
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	fresh, err := a.writeFile(data, "postmaster.pid.", fmt.Sprintf("%d\n%s", os.Getpid(), rest))
	if err != nil {
		return err
	}
	return os.Rename(fresh, path)
}
