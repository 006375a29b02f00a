package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// programs is a directory with initdb and postgres of one version.
type programs struct {
	dir   string
	major int
}

func (p programs) initdb() string   { return filepath.Join(p.dir, "initdb") }
func (p programs) postgres() string { return filepath.Join(p.dir, "postgres") }

// usualPlaces are the directories in which PostgreSQL may be installed.
func usualPlaces() []string {
	places := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // PGDG on RHEL
		"/usr/libexec/postgresql*",  // Alpine
		"/usr/lib/postgresql*/bin",  // SUSE
		"/usr/local/pgsql/bin",      // from source
	} {
		found, _ := filepath.Glob(pattern) // only a malformed pattern is an error
		places = append(places, found...)
	}
	return places
}

// search finds the programs in these directories: each major once, in the first
// directory that has it. It also describes what it had to skip.
func (a account) search(ctx context.Context, places []string) (map[int]programs, []string) {
	found, skipped := map[int]programs{}, []string{}
	seen := map[string]bool{}
	for _, place := range places {
		// Beside a mere link to postgres there is no initdb and no share directory. PATH's
		// "." would run programs of the data directory.
		target, err := filepath.EvalSymlinks(filepath.Join(place, "postgres"))
		dir := filepath.Dir(target)
		if _, initdb := os.Stat(filepath.Join(dir, "initdb")); err != nil || initdb != nil || !filepath.IsAbs(place) || seen[dir] {
			continue
		}
		seen[dir] = true
		major, err := a.majorOf(ctx, target)
		switch {
		case err != nil:
			skipped = append(skipped, err.Error())
		case major < oldestMajor:
			skipped = append(skipped, fmt.Sprintf("PostgreSQL %d in %s is too old", major, dir))
		case found[major] == (programs{}):
			found[major] = programs{dir, major}
		}
	}
	return found, skipped
}

// majorOf runs the program as the account: root must not run programs that
// another account put into its data directory.
func (a account) majorOf(ctx context.Context, postgres string) (int, error) {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("no answer"))
	defer stop()
	output, err := run(ctx, a.command("/", postgres, "--version"))
	if err != nil {
		return 0, fmt.Errorf("%s does not run (%w)%s", postgres, err, quote(output, 1))
	}
	var major int
	if _, err := fmt.Sscanf(output, "postgres (PostgreSQL) %d", &major); err != nil {
		return 0, fmt.Errorf("%s does not print its version", postgres)
	}
	return major, nil
}

// choose returns the programs for the cluster of the major wanted, or the newest for a new
// cluster (0), fetching them if none are installed.
func (c *Cluster) choose(ctx context.Context, a account, want int) (programs, error) {
	p, notes := c.installed(ctx, a, want)
	if p.dir != "" {
		return p, nil
	}
	fetch := c.opts.BinDir == "" || c.opts.BinDir == Download
	switch {
	case fetch && (want == 0 || want == c.release.major):
		if err := c.download(ctx); err != nil {
			return p, fmt.Errorf("no PostgreSQL %d or later was found: install it, or set DATABASE_URL to a server of your own (downloading PostgreSQL %s from %s: %w)%s",
				oldestMajor, c.release.version, c.release.repository, err, notes)
		}
		if p, notes = c.installed(ctx, a, want); p.dir == "" {
			return p, fmt.Errorf("the PostgreSQL %s that was downloaded does not run here%s", c.release.version, notes)
		}
		return p, nil
	case want != 0:
		return p, fmt.Errorf("%s was made by PostgreSQL %d, whose programs were not found: install them, or name their directory in CLIENTINTEL_POSTGRES_BIN; "+
			"to change to another major, export each client with them (clientintel clients export CLIENT --with-keys), and import that into another data directory%s",
			c.dir.data(want), want, notes)
	default:
		return p, fmt.Errorf("%s has no initdb and postgres of PostgreSQL %d or later%s", c.opts.BinDir, oldestMajor, notes)
	}
}

// installed searches the places of the options, and describes what it had to skip.
func (c *Cluster) installed(ctx context.Context, a account, want int) (programs, string) {
	places := []string{c.opts.BinDir}
	if c.opts.BinDir == "" || c.opts.BinDir == Download {
		places, _ = filepath.Glob(filepath.Join(globEscape(c.dir.dir), "postgres-*", "bin")) // only a malformed pattern is an error
	}
	if c.opts.BinDir == "" {
		places = append(slices.Clone(c.places), places...)
	}
	found, skipped := a.search(ctx, places)
	if want == 0 && len(found) > 0 {
		want = slices.Max(slices.Collect(maps.Keys(found)))
	}
	return found[want], strings.Join(append([]string{""}, skipped...), "; ")
}
