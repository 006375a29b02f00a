//go:build linux

package resilience

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
)

// With a full disk no request can be logged, so none is admitted. With room again
// everything goes on.
func TestDiskIsFull(t *testing.T) {
	t.Parallel()
	disk := newDisk(t)
	w := setupIn(t, disk.dir, map[string]string{"max_wal_size": "64MB", "min_wal_size": "32MB"})
	keys := w.keys(t, "acme", 8)
	s := w.serve(t, w.OwnerURL())
	l := w.callers(t, keys, s)
	l.await(t, 200, 50)

	disk.fill(t, w)
	// An import is a large write: it fails, and whole.
	c, err := base.Start(w.OwnerURL(), "import", "-")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = c.Stdin.Write([]byte(importFile(t, 12_000)))
	_ = c.Stdin.Close()
	if _, _, err := c.Output(time.Minute); err == nil {
		t.Error("an import onto a full disk succeeded")
	}
	l.await(t, 503, 30)
	disk.free(t)
	// A server that could not even write its log has given up, and its
	// supervisor starts it again.
	if w.Ended() || !w.alive(t) {
		w.Crash()
		if err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("ready again after %s", w.awaitReady(t, s, w.key(t, "acme")))
	l.await(t, 200, 50)
	l.end()
	l.wantValidResponses(t)
	if n := w.number(t, "SELECT count(*) FROM interviews"); n != 600 {
		t.Errorf("%d interviews, want the 600 of before", n)
	}
	w.wantCorrectCounts(t, s)
	w.wantExactQuota(t, s, keys[0], l.answers[keys[0]])
}

// alive waits for a server that recovers by itself.
func (w *environment) alive(t *testing.T) bool {
	t.Helper()
	for range 100 {
		conn, err := pgx.Connect(t.Context(), w.URL(embedded.Superuser))
		if err == nil {
			_ = conn.Close(context.Background())
			return true
		}
		if w.Ended() {
			return false
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

// disk is a small file system.
type disk struct {
	dir     string
	mounted bool
}

// newDisk mounts memory where that is allowed.
func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{dir: t.TempDir()}
	for dir := d.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	d.mounted = syscall.Mount("tmpfs", d.dir, "tmpfs", 0, "size=192m") == nil
	if d.mounted {
		t.Cleanup(func() { _ = syscall.Unmount(d.dir, syscall.MNT_DETACH) })
	}
	return d
}

// fill leaves no room: writing fails. Where nothing could be mounted, the server
// may not let any file grow, which is worse for it than a full disk.
func (d *disk) fill(t *testing.T, w *environment) {
	t.Helper()
	if !d.mounted {
		if err := w.ForbidWriting(t.Context()); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Create(filepath.Join(d.dir, "filler"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for block := make([]byte, 64<<10); ; {
		if _, err := f.Write(block); err != nil {
			return
		}
	}
}

// free makes room again. The limit of a process ends with it.
func (d *disk) free(t *testing.T) {
	t.Helper()
	if !d.mounted {
		return
	}
	if err := os.Remove(filepath.Join(d.dir, "filler")); err != nil {
		t.Fatal(err)
	}
}
