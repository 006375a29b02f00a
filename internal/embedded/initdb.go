//go:build linux || darwin || freebsd

package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// makeCluster creates the cluster under another name and renames it when it
// is whole: a data directory is never half made. The name is new each time,
// since a killed initdb may still be writing under the one before.
func (c *Cluster) makeCluster(ctx context.Context, a account, p programs) error {
	base := c.home.cluster(p.major)
	c.removeInits(ctx, base)
	fresh, err := os.MkdirTemp(base, "data.init-")
	if err != nil {
		return unusable(c.home.dir, err)
	}
	defer os.RemoveAll(fresh)
	if err := a.own(fresh); err != nil {
		return unusable(c.home.dir, err)
	}
	c.log.Info("creating the PostgreSQL cluster", "version", p.major, "data_dir", c.home.dir)
	if err := initdb(ctx, a, p, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, c.home.data(p.major)); err != nil {
		return unusable(c.home.dir, err)
	}
	return syncDir(base)
}

// removeInits removes what killed starts left. An initdb that is being
// stopped by the kernel may still add files under our hands.
func (c *Cluster) removeInits(ctx context.Context, base string) {
	for end := time.Now().Add(5 * time.Second); ; {
		var failed error
		left, _ := filepath.Glob(filepath.Join(globEscape(base), "data.init-*"))
		for _, path := range left {
			failed = errors.Join(failed, os.RemoveAll(path))
		}
		if failed == nil {
			return
		}
		if time.Now().After(end) || sleep(ctx, pause) != nil {
			c.log.Warn("leaving what an interrupted start left", "error", failed)
			return
		}
	}
}

// initdb tries the locales in the order of preference until the system has
// one of them.
func initdb(ctx context.Context, a account, p programs, dir string) error {
	var output string
	var failed error
	for _, locale := range locales(p.major) {
		var out bytes.Buffer
		cmd := a.command(filepath.Dir(dir), p.initdb(), append(locale,
			"--pgdata="+dir, "--username="+Superuser, "--encoding=UTF8", "--data-checksums",
			// Who reaches the socket is let in; nobody comes by TCP.
			"--auth-local=trust", "--auth-host=reject", "--no-instructions")...)
		cmd.Stdout, cmd.Stderr = &out, &out
		failed, output = run(ctx, cmd), out.String()
		if failed == nil || ctx.Err() != nil {
			return failed
		}
		if !strings.Contains(output, "invalid locale") {
			break
		}
	}
	return fmt.Errorf("%s could not create a cluster in %s (%w)%s", p.initdb(), filepath.Dir(dir), failed, quote(output, 8))
}

// locales are initdb's arguments for: letters by Unicode, order by code
// point. From 17 on PostgreSQL brings that along, the same on every system;
// the system's locale still tells text search what a letter is.
func locales(major int) [][]string {
	var list [][]string
	for _, ctype := range []string{"C.UTF-8", "en_US.UTF-8"} {
		args := []string{"--locale=C", "--lc-ctype=" + ctype}
		if major >= 17 {
			args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
		}
		list = append(list, args)
	}
	return list
}

// syncDir makes a rename survive a power loss.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// quote sets the last lines of a program's output below an error.
func quote(output string, n int) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if lines[0] == "" && len(lines) == 1 {
		return ""
	}
	return ":\n\t" + strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}
