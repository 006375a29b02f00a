//go:build linux || darwin || freebsd

package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
)

// newestMajor is what a new cluster gets where nothing is installed.
const newestMajor = 18

var downloads = map[int]embeddedpostgres.PostgresVersion{
	15: embeddedpostgres.V15,
	16: embeddedpostgres.V16,
	17: embeddedpostgres.V17,
	18: embeddedpostgres.V18,
}

// download fetches PostgreSQL of the major wanted (0: the newest) into the
// data directory.
func (c *Cluster) download(ctx context.Context, a account, want int) (programs, error) {
	if want == 0 {
		want = newestMajor
	}
	version, ok := downloads[want]
	switch {
	case c.opts.DownloadFrom == NoDownload:
		return programs{}, errors.New("the download is switched off")
	case !ok:
		return programs{}, fmt.Errorf("there is no download of PostgreSQL %d", want)
	}
	c.removeStaging()
	staging, err := os.MkdirTemp(c.dir.dir, "postgres-download-")
	if err != nil {
		return programs{}, dirError(c.dir.dir, err)
	}
	defer os.RemoveAll(staging)
	c.log.Info("no installed PostgreSQL fits; downloading one", "version", string(version), "from", c.opts.downloadSource())
	if err := fetch(ctx, version, c.opts.DownloadFrom, staging); err != nil {
		return programs{}, fmt.Errorf("downloading PostgreSQL %s from %s: %w", version, c.opts.downloadSource(), err)
	}
	// Only programs that run here are kept.
	unpacked := filepath.Join(staging, "unpacked")
	if err := readable(staging); err != nil {
		return programs{}, dirError(c.dir.dir, err)
	}
	found, passed := a.search(ctx, []string{filepath.Join(unpacked, "bin")})
	if _, ok := found[want]; !ok {
		return programs{}, fmt.Errorf("the PostgreSQL %s downloaded from %s cannot be used here%s", version, c.opts.downloadSource(), andAlso(passed))
	}
	target := c.dir.downloaded(string(version))
	// An existing one was skipped above: a power loss left it unreadable.
	if err := os.Rename(target, filepath.Join(staging, "broken")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return programs{}, dirError(c.dir.dir, err)
	}
	if err := os.Rename(unpacked, target); err != nil {
		return programs{}, dirError(c.dir.dir, err)
	}
	return programs{filepath.Join(target, "bin"), want}, nil
}

// removeStaging removes what a killed download left. The server lock is held,
// so no download is running.
func (c *Cluster) removeStaging() {
	left, _ := filepath.Glob(filepath.Join(globEscape(c.dir.dir), "postgres-download-*"))
	for _, path := range left {
		_ = os.RemoveAll(path)
	}
}

// fetch uses the library for the names, the checksum and the unpacking only: to
// run a server it wipes clusters of another version, and it does not run as root.
// Its Start first unpacks, then clears the data directory, which fails on purpose
// for a name that ends in a dot, before anything is started. The library takes no
// context: when ctx ends, its goroutine goes on and its result is dropped.
func fetch(ctx context.Context, version embeddedpostgres.PostgresVersion, from, staging string) error {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("no end after ten minutes"))
	defer stop()
	config := embeddedpostgres.DefaultConfig()
	if from != "" {
		config = config.BinaryRepositoryURL(from)
	}
	pg := embeddedpostgres.NewDatabase(config.
		Version(version).
		CachePath(filepath.Join(staging, "cache")).
		RuntimePath(filepath.Join(staging, "runtime")).
		BinariesPath(filepath.Join(staging, "unpacked")).
		DataPath(staging + "/data/.").
		Port(0).
		Logger(io.Discard))
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // the library panics when it cannot clean up
				done <- fmt.Errorf("unpacking: %v", p)
			}
		}()
		done <- pg.Start()
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-done:
		if err != nil && strings.HasPrefix(err.Error(), "unable to clean up data directory") {
			return nil
		}
		return err
	}
}

// readable lets the account that runs the server read what was unpacked, even
// under a strict umask of root's.
func readable(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if mode&0o100 != 0 || d.IsDir() {
			mode |= 0o111
		}
		return root.Chmod(path, mode)
	})
}
