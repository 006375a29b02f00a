package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// Upgrade gives a data directory that no other process uses a cluster of a newer
// major. fill copies what the old one holds; it takes the old one's place when it
// is complete, and not at all where that fails. Upgrade returns the directory of the
// old one, which stays.
func Upgrade(ctx context.Context, o Options, major int, fill func(ctx context.Context, from, to *Cluster) error) (string, error) {
	named := o.BinDir
	o.BinDir = "" // the programs of one of the two majors
	old, err := open(ctx, o, func(ctx context.Context) []string { return append([]string{named}, usualPaths(ctx)...) })
	if err != nil {
		return "", err
	}
	kept, err := old.upgrade(ctx, major, fill)
	if err != nil {
		err = fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	return kept, errors.Join(err, old.Close(context.WithoutCancel(ctx)))
}

func (c *Cluster) upgrade(ctx context.Context, major int, fill func(ctx context.Context, from, to *Cluster) error) (string, error) {
	// Until Close, processes that open the directory wait.
	if alone, err := c.usersLock.tryExclusive(); err != nil || !alone || c.Attached() {
		return "", errors.Join(fmt.Errorf("another process uses %s: stop it first", c.dir.dir), err)
	}
	present, err := c.dir.newestCluster()
	if err != nil {
		return "", err
	}
	if major <= present {
		return "", fmt.Errorf("%s holds a cluster of PostgreSQL %d already: name a newer major", c.dir.dir, present)
	}
	a, err := c.dir.account(c.dir.cluster(present))
	if err != nil {
		return "", err
	}
	p, err := c.choose(ctx, a, major)
	if err != nil {
		return "", err
	}
	_ = removeAll(c.dir.dir, "upgrade-*") // left by a killed process
	staging, err := c.makeStaging()
	if err != nil {
		return "", dirError(c.dir.dir, err)
	}
	defer os.RemoveAll(staging)
	c.log.Info("copying the PostgreSQL cluster", "data_dir", c.dir.dir, "from", present, "to", major)
	next, err := open(ctx, Options{Dir: staging, BinDir: p.dir, DownloadFrom: NoDownload, Settings: c.opts.Settings, Log: c.log}, c.searchPaths)
	if err != nil {
		return "", err
	}
	err = fill(ctx, c, next)
	if err := errors.Join(err, next.Close(context.WithoutCancel(ctx)), context.Cause(ctx)); err != nil {
		return "", err
	}
	if err := errors.Join(os.Rename(next.dir.cluster(major), c.dir.cluster(major)), syncDir(c.dir.dir)); err != nil {
		return "", dirError(c.dir.dir, err)
	}
	return c.dir.cluster(present), nil
}

// makeStaging makes a data directory within the data directory, of the same owner,
// mode and password.
func (c *Cluster) makeStaging() (string, error) {
	staging, err := os.MkdirTemp(c.dir.dir, "upgrade-")
	if err != nil {
		return "", err
	}
	info, err := os.Stat(c.dir.dir)
	if err != nil {
		return "", err
	}
	uid, gid, err := ownerOf(c.dir.dir)
	if err != nil {
		return "", err
	}
	f, err := dataDir{staging}.openFile(passwordFile)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(c.password)
	return staging, errors.Join(err, f.Close(), os.Lchown(staging, uid, gid), os.Chmod(staging, info.Mode().Perm()))
}
