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
	staging, err := os.MkdirTemp(c.home.dir, "postgres-download-")
	if err != nil {
		return programs{}, unusable(c.home.dir, err)
	}
	defer os.RemoveAll(staging)
	c.log.Info("no installed PostgreSQL fits; downloading one", "version", string(version), "from", c.opts.origin())
	if err := fetch(ctx, version, c.opts.DownloadFrom, staging); err != nil {
		return programs{}, fmt.Errorf("downloading PostgreSQL %s from %s: %w", version, c.opts.origin(), err)
	}
	// Looked at before it is moved: what cannot run here is not kept.
	unpacked := filepath.Join(staging, "unpacked")
	if err := readable(staging); err != nil {
		return programs{}, unusable(c.home.dir, err)
	}
	found, passed := a.search(ctx, []string{filepath.Join(unpacked, "bin")})
	if _, ok := found[want]; !ok {
		return programs{}, fmt.Errorf("the PostgreSQL %s downloaded from %s cannot be used here%s", version, c.opts.origin(), and(passed))
	}
	target := c.home.downloaded(string(version))
	// One of the same name was passed over: a power loss left it unreadable.
	if err := os.Rename(target, filepath.Join(staging, "broken")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return programs{}, unusable(c.home.dir, err)
	}
	if err := os.Rename(unpacked, target); err != nil {
		return programs{}, unusable(c.home.dir, err)
	}
	return programs{filepath.Join(target, "bin"), want}, nil
}

// removeStaging removes what a killed download left. The keeper's lock is
// held, so none is under way.
func (c *Cluster) removeStaging() {
	left, _ := filepath.Glob(filepath.Join(globEscape(c.home.dir), "postgres-download-*"))
	for _, path := range left {
		_ = os.RemoveAll(path)
	}
}

// fetch uses the library for the names, the checksum and the unpacking only:
// its way to run a server wipes clusters of another version and does not run
// as root. Its Start first unpacks, then clears the directory for the data,
// which fails, as meant, for one whose name ends in a dot; nothing was
// started by then. The library knows no context: when ctx ends it is left
// behind, and comes to nothing.
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

// readable opens what was unpacked to the account that runs the server: a
// strict umask of root's would keep it out.
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
