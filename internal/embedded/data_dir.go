package embedded

import (
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

func openDataDir(path string) (dataDir, error) {
	if path == "" {
		return dataDir{}, errors.New("no data directory is named: set --data-dir")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return dataDir{}, fmt.Errorf("finding the data directory: %w", err)
	}
	if err := makeDataDir(path); err != nil {
		return dataDir{}, dirError(path, err)
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

// makeDataDir creates dir and what is missing above it. Root's can be entered, and not
// listed, by the account that runs the server.
func makeDataDir(dir string) error {
	mode := fs.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	err := os.Mkdir(dir, mode)
	if err == nil {
		return os.Chmod(dir, mode) // whatever the umask is
	}
	if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
		return nil // another process may have made it just now
	}
	return err
}

// dirError explains an error of the data directory and what to change.
func dirError(dir string, err error) error {
	return fmt.Errorf("the data directory %s cannot be used by this account (uid %d): %w; choose another with --data-dir, or set DATABASE_URL", dir, os.Geteuid(), err)
}

// openFile opens or creates one of the package's files.
func (h dataDir) openFile(name string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(h.dir, name), os.O_RDWR|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, dirError(h.dir, err)
	}
	return f, nil
}

// findCluster is the major of the cluster here, or 0 if there is none yet. Of several,
// the highest is used: earlier releases left the old one when they changed the major.
func (h dataDir) findCluster() (int, error) {
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
	if newest == 0 {
		return 0, nil
	}
	text, err := os.ReadFile(filepath.Join(h.data(newest), "PG_VERSION"))
	if err != nil || strings.TrimSpace(string(text)) != strconv.Itoa(newest) {
		return 0, fmt.Errorf("%s is no cluster of PostgreSQL %d: move it away to begin with an empty database, or restore it from a backup", h.data(newest), newest)
	}
	return newest, nil
}

// removeAll removes what a pattern of names finds in a directory, as far as it can.
func removeAll(dir, pattern string) {
	found, _ := filepath.Glob(filepath.Join(globEscape(dir), pattern)) // only a malformed pattern is an error
	for _, path := range found {
		_ = os.RemoveAll(path)
	}
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
