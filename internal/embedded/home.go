//go:build linux || darwin || freebsd

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
)

// home is the product's data directory: absolute, links resolved.
type home struct{ dir string }

func (h home) log() string                { return filepath.Join(h.dir, "postgres.log") }
func (h home) cluster(major int) string   { return filepath.Join(h.dir, "pg"+strconv.Itoa(major)) }
func (h home) data(major int) string      { return filepath.Join(h.cluster(major), "data") }
func (h home) downloaded(v string) string { return filepath.Join(h.dir, "postgres-"+v) }

func prepareHome(ctx context.Context, dir string) (home, error) {
	if dir == "" {
		return home{}, errors.New("no data directory is named: set --data-dir")
	}
	if strings.ContainsAny(dir, "\r\n") {
		return home{}, fmt.Errorf("the data directory %q has a line break in its name: choose another with --data-dir", dir)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return home{}, fmt.Errorf("finding the data directory: %w", err)
	}
	if err := makeHome(ctx, dir); err != nil {
		return home{}, err
	}
	// One directory has one name, so that a link and its target find the
	// same server in postmaster.pid.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return home{}, unusable(dir, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "PG_VERSION")); err == nil {
		return home{}, fmt.Errorf("%s is a PostgreSQL cluster itself: name another directory with --data-dir, or set DATABASE_URL to that server", dir)
	}
	return home{dir}, nil
}

// makeHome creates dir and what is missing above it.
func makeHome(ctx context.Context, dir string) error {
	info, err := os.Stat(dir)
	if err == nil && info.IsDir() {
		return nil
	}
	if err == nil || errors.Is(err, syscall.ENOTDIR) {
		file := dir
		for err != nil {
			file = filepath.Dir(file)
			_, err = os.Stat(file)
		}
		return fmt.Errorf("the data directory %s cannot be made: %s is a file; choose another with --data-dir", dir, file)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return unusable(dir, err)
	}
	if os.Geteuid() == 0 {
		return makeRootsHome(ctx, dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return unusable(dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return unusable(dir, err)
	}
	return nil
}

// makeRootsHome gives dir to the group of the account that will run the
// server, which has to pass through. It does so under another name, so that
// no other process finds the directory before it is ready.
func makeRootsHome(ctx context.Context, dir string) error {
	a, err := serverAccount()
	if err != nil {
		return err
	}
	there := filepath.Dir(dir)
	for _, err := os.Stat(there); errors.Is(err, fs.ErrNotExist); _, err = os.Stat(there) {
		there = filepath.Dir(there)
	}
	if err := a.checkReach(ctx, there); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return unusable(dir, err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return unusable(dir, err)
	}
	defer os.Remove(fresh)
	err = errors.Join(os.Lchown(fresh, 0, a.gid), os.Chmod(fresh, 0o710), os.Rename(fresh, dir))
	if info, statErr := os.Stat(dir); err != nil && (statErr != nil || !info.IsDir()) {
		return unusable(dir, err)
	}
	return nil
}

// unusable says in one sentence what is wrong with the data directory.
func unusable(dir string, err error) error {
	who := "uid " + strconv.Itoa(os.Geteuid())
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the data directory %s cannot be used by this account (%s): %w; run as its owner, choose another with --data-dir, or set DATABASE_URL", dir, who, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the data directory %s cannot be written: %w; make room, or choose another with --data-dir", dir, err)
	default:
		return fmt.Errorf("the data directory %s cannot be used: %w; choose another with --data-dir", dir, err)
	}
}

// openFile opens, and makes when missing, one of our own files. Root leaves
// it to the directory's owner, who may be the next to run the product.
func (h home) openFile(name string) (*os.File, error) {
	path := filepath.Join(h.dir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, unusable(h.dir, err)
	}
	if os.Geteuid() == 0 {
		if uid, gid, err := ownerOf(h.dir); err == nil {
			_ = f.Chown(uid, gid)
		}
	}
	return f, nil
}

// ownerOf returns the user and the group that a path belongs to.
func ownerOf(path string) (int, int, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid), nil
}

// newestCluster is the highest major that has a cluster here, or 0. Others
// are left from before an upgrade that somebody did by hand.
func (h home) newestCluster() (int, error) {
	found, err := filepath.Glob(filepath.Join(globEscape(h.dir), "pg[1-9]*"))
	if err != nil {
		return 0, unusable(h.dir, err)
	}
	newest := 0
	for _, path := range found {
		major, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "pg"))
		if err != nil || major <= newest {
			continue
		}
		if _, err := os.Lstat(h.data(major)); err == nil {
			newest = major
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, unusable(h.dir, err)
		}
	}
	return newest, nil
}

// checkCluster refuses a data directory that is not the cluster it should be.
func (h home) checkCluster(major int) error {
	text, err := os.ReadFile(filepath.Join(h.data(major), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s is not a PostgreSQL cluster (it has no PG_VERSION): move it away to begin with an empty database, or restore it from a backup", h.data(major))
	}
	if err != nil {
		return unusable(h.dir, err)
	}
	if v := strings.TrimSpace(string(text)); v != strconv.Itoa(major) {
		return fmt.Errorf("%s holds a cluster of PostgreSQL %.20q, not %d: move it away, or to the directory of its own version", h.data(major), v, major)
	}
	return nil
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
