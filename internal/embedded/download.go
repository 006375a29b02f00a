package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// newestMajor is what a new cluster gets where nothing is installed.
const newestMajor = 18

// download fetches PostgreSQL of the major wanted (0: the newest) into the
// data directory.
func (c *Cluster) download(ctx context.Context, a account, want int) (programs, error) {
	if want == 0 {
		want = newestMajor
	}
	release, ok := c.releases[want]
	source := cmp.Or(c.opts.DownloadFrom, "Maven Central")
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
	c.log.Info("no installed PostgreSQL fits; downloading one", "version", release.Version, "from", source)
	unpacked, err := release.fetch(ctx, c.opts.DownloadFrom, staging)
	if err != nil {
		return programs{}, fmt.Errorf("downloading PostgreSQL %s from %s: %w", release.Version, source, err)
	}
	if err := os.Chmod(staging, 0o755); err != nil { // for the account that runs the server
		return programs{}, dirError(c.dir.dir, err)
	}
	// Only programs that run here are kept.
	found, passed := a.search(ctx, []string{filepath.Join(unpacked, "bin")})
	if _, ok := found[want]; !ok {
		return programs{}, fmt.Errorf("the PostgreSQL %s downloaded from %s cannot be used here%s", release.Version, source, andAlso(passed))
	}
	target := c.dir.downloaded(release.Version)
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
