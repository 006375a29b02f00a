package embedded

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
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

// usualPaths are the directories in which PostgreSQL may be installed.
func usualPaths(ctx context.Context) []string {
	places := filepath.SplitList(os.Getenv("PATH"))
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		places = append(places, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
		"/usr/pgsql-*/bin",          // PGDG on RHEL
		"/usr/libexec/postgresql*",  // Alpine
		"/usr/lib/postgresql*/bin",  // SUSE
		"/usr/local/pgsql/bin",      // from source
		"/usr/local/bin",            // FreeBSD, Docker's image on Alpine
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		found, _ := filepath.Glob(pattern) // only a malformed pattern is an error
		places = append(places, found...)
	}
	return places
}

// search finds the programs in these directories: each version once, in the first
// directory that has it. It also describes what it had to skip.
func (a account) search(ctx context.Context, places []string) (map[int]programs, []string) {
	found, skipped := map[int]programs{}, []string{}
	seen := map[string]bool{}
	for _, place := range places {
		dir, ok := programDir(place)
		if !ok || seen[dir] {
			continue
		}
		seen[dir] = true
		major, err := a.majorOf(ctx, filepath.Join(dir, "postgres"))
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

// programDir returns the directory that the programs are in: beside a mere link to
// postgres there is no initdb and no share directory.
func programDir(place string) (string, bool) {
	if !filepath.IsAbs(place) {
		return "", false // PATH's "." would run programs of the data directory
	}
	dirs := []string{place}
	if target, err := filepath.EvalSymlinks(filepath.Join(place, "postgres")); err == nil {
		dirs = []string{filepath.Dir(target), place}
	}
	for _, dir := range dirs {
		if executable(filepath.Join(dir, "postgres")) && executable(filepath.Join(dir, "initdb")) {
			return dir, true
		}
	}
	return "", false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

var versionPattern = regexp.MustCompile(`^postgres \(PostgreSQL\) (\d+)`)

// majorOf runs the program as the account: root must not run programs that
// another account put into its data directory.
func (a account) majorOf(ctx context.Context, postgres string) (int, error) {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Second, errors.New("no answer"))
	defer stop()
	output, err := run(ctx, a.command("/", postgres, "--version"))
	if err != nil {
		return 0, fmt.Errorf("%s does not run (%w)%s", postgres, err, quote(output, 1))
	}
	m := versionPattern.FindStringSubmatch(output)
	if m == nil {
		return 0, fmt.Errorf("%s does not print its version", postgres)
	}
	return strconv.Atoi(m[1])
}

// choose returns the programs for the cluster of the major wanted, or the
// newest for a new cluster (0), fetching them if none are installed.
func (c *Cluster) choose(ctx context.Context, a account, want int) (programs, error) {
	if c.opts.BinDir != "" {
		return c.chooseFromBinDir(ctx, a, want)
	}
	fetched, _ := filepath.Glob(filepath.Join(globEscape(c.dir.dir), "postgres-*", "bin"))
	found, skipped := a.search(ctx, append(c.searchPaths(ctx), fetched...))
	majors := slices.Sorted(maps.Keys(found))
	if p, ok := found[want]; ok {
		return p, nil
	}
	if want == 0 && len(majors) > 0 {
		return found[majors[len(majors)-1]], nil
	}
	p, err := c.download(ctx, a, want)
	if err == nil || ctx.Err() != nil {
		return p, err
	}
	if want == 0 {
		return programs{}, fmt.Errorf("no PostgreSQL %d or later was found: install it, set DATABASE_URL to a server of your own, or allow the download (%w)%s",
			oldestMajor, err, skippedNote(skipped))
	}
	for _, major := range majors {
		skipped = append(skipped, fmt.Sprintf("PostgreSQL %d in %s is another major", major, found[major].dir))
	}
	instead := "name another major"
	if _, err := os.Lstat(c.dir.data(want)); err == nil {
		instead = fmt.Sprintf("move %s away to begin with an empty database", c.dir.cluster(want))
	}
	return programs{}, fmt.Errorf("PostgreSQL %d was not found: install it, or %s (%w)%s", want, instead, err, skippedNote(skipped))
}

// chooseFromBinDir is choose with the directory that the operator named.
func (c *Cluster) chooseFromBinDir(ctx context.Context, a account, want int) (programs, error) {
	found, skipped := a.search(ctx, []string{c.opts.BinDir})
	for major, p := range found {
		if want == 0 || want == major {
			return p, nil
		}
		return programs{}, fmt.Errorf("%s has PostgreSQL %d: name the programs of PostgreSQL %d, or move %s away to begin with an empty database",
			c.opts.BinDir, major, want, c.dir.cluster(want))
	}
	if len(skipped) > 0 {
		return programs{}, errors.New(strings.Join(skipped, "; "))
	}
	return programs{}, fmt.Errorf("%s has no initdb and postgres: name the bin directory of PostgreSQL %d or later", c.opts.BinDir, oldestMajor)
}

func skippedNote(skipped []string) string {
	if len(skipped) == 0 {
		return ""
	}
	return "; " + strings.Join(skipped, "; ")
}
