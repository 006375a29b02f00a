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

// dataDir is the product's data directory: absolute, links resolved.
type dataDir struct{ dir string }

func (h dataDir) log() string              { return filepath.Join(h.dir, "postgres.log") }
func (h dataDir) cluster(major int) string { return filepath.Join(h.dir, "pg"+strconv.Itoa(major)) }
func (h dataDir) data(major int) string    { return filepath.Join(h.cluster(major), "data") }

func openDataDir(ctx context.Context, path string) (dataDir, error) {
	if path == "" {
		return dataDir{}, errors.New("no data directory is named: set --data-dir")
	}
	if strings.ContainsAny(path, "\r\n") {
		return dataDir{}, fmt.Errorf("the data directory %q has a line break in its name: choose another with --data-dir", path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return dataDir{}, fmt.Errorf("finding the data directory: %w", err)
	}
	if err := makeDataDir(ctx, path); err != nil {
		return dataDir{}, err
	}
	// postmaster.pid names the directory itself, so a link to it is resolved.
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return dataDir{}, dirError(path, err)
	}
	if _, err := os.Lstat(filepath.Join(path, "PG_VERSION")); err == nil {
		return dataDir{}, fmt.Errorf("%s is a PostgreSQL cluster itself: name another directory with --data-dir, or set DATABASE_URL to that server", path)
	}
	return dataDir{path}, nil
}

// makeDataDir creates dir and what is missing above it.
func makeDataDir(ctx context.Context, dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return dirError(dir, syscall.ENOTDIR)
	case !errors.Is(err, fs.ErrNotExist):
		return dirError(dir, err)
	}
	if os.Geteuid() == 0 {
		return makeDataDirAsRoot(ctx, dir)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return dirError(dir, err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return dirError(dir, err)
	}
	return nil
}

// makeDataDirAsRoot lets the account that will run the server enter dir, through
// its group. It prepares the directory under another name, so that no other
// process finds it half ready.
func makeDataDirAsRoot(ctx context.Context, dir string) error {
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
		return dirError(dir, err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return dirError(dir, err)
	}
	defer os.Remove(fresh)
	err = errors.Join(os.Lchown(fresh, 0, a.gid), os.Chmod(fresh, 0o710), os.Rename(fresh, dir))
	if info, statErr := os.Stat(dir); err != nil && (statErr != nil || !info.IsDir()) {
		return dirError(dir, err)
	}
	return nil
}

// dirError explains an error of the data directory and what to change.
func dirError(dir string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("the data directory %s cannot be used by this account (uid %d): %w; run as its owner, choose another with --data-dir, or set DATABASE_URL", dir, os.Geteuid(), err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("the data directory %s cannot be written: %w; make room, or choose another with --data-dir", dir, err)
	default:
		return fmt.Errorf("the data directory %s cannot be used: %w; choose another with --data-dir", dir, err)
	}
}

// openFile opens or creates one of the package's files. Root gives it to the
// directory's owner, so that a later start by that account can open it.
func (h dataDir) openFile(name string) (*os.File, error) {
	path := filepath.Join(h.dir, name)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, dirError(h.dir, err)
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

// newestCluster is the highest major that has a cluster here, or 0. Older
// ones remain from before an upgrade by hand.
func (h dataDir) newestCluster() (int, error) {
	found, _ := filepath.Glob(filepath.Join(globEscape(h.dir), "pg[1-9]*")) // only a malformed pattern is an error
	newest := 0
	for _, path := range found {
		major, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(path), "pg"))
		if err != nil || major <= newest {
			continue
		}
		if _, err := os.Lstat(h.data(major)); err == nil {
			newest = major
		} else if !errors.Is(err, fs.ErrNotExist) {
			return 0, dirError(h.dir, err)
		}
	}
	return newest, nil
}

// checkCluster refuses a data directory that is not the cluster it should be.
func (h dataDir) checkCluster(major int) error {
	text, err := os.ReadFile(filepath.Join(h.data(major), "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s is not a PostgreSQL cluster (it has no PG_VERSION): move it away to begin with an empty database, or restore it from a backup", h.data(major))
	}
	if err != nil {
		return dirError(h.dir, err)
	}
	if v := strings.TrimSpace(string(text)); v != strconv.Itoa(major) {
		return fmt.Errorf("%s holds a cluster of PostgreSQL %.20q, not %d: move it away, or to the directory of its own version", h.data(major), v, major)
	}
	return nil
}

// removeAll removes what a pattern of names finds in a directory.
func removeAll(dir, pattern string) error {
	found, err := filepath.Glob(filepath.Join(globEscape(dir), pattern))
	for _, path := range found {
		err = errors.Join(err, os.RemoveAll(path))
	}
	return err
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
