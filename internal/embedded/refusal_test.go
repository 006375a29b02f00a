package embedded

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRefusal_NoDirectory(t *testing.T) {
	t.Parallel()
	wantRefusal(t, Options{}, "no data directory is named: set --data-dir")
}

func TestRefusal_LineBreakInTheName(t *testing.T) {
	t.Parallel()
	wantRefusal(t, Options{Dir: "/tmp/a\nb"}, `the data directory "/tmp/a\nb" has a line break in its name: choose another with --data-dir`)
}

func TestRefusal_FileInPlaceOfTheDirectory(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, dir, "something of mine")
	wantRefusal(t, Options{Dir: dir}, "the data directory "+dir+" cannot be used: not a directory; choose another with --data-dir")
	below := filepath.Join(dir, "below", "it")
	wantRefusal(t, Options{Dir: below}, "the data directory "+below+" cannot be used: stat "+below+": not a directory; choose another with --data-dir")
	if text, err := os.ReadFile(dir); err != nil || string(text) != "something of mine" {
		t.Errorf("the file is not what it was: %q, %v", text, err)
	}
}

func TestRefusal_DirectoryIsAClusterItself(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, filepath.Join(dir, "PG_VERSION"), "15\n")
	wantRefusal(t, Options{Dir: dir},
		dir+" is a PostgreSQL cluster itself: name another directory with --data-dir, or set DATABASE_URL to that server")
}

func TestRefusal_ForeignFilesInPlaceOfTheCluster(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	letter := filepath.Join(dir, "pg15", "data", "letter.txt")
	writeFile(t, letter, "dear")
	wantRefusal(t, Options{Dir: dir},
		dir+"/pg15/data is not a PostgreSQL cluster (it has no PG_VERSION): move it away to begin with an empty database, or restore it from a backup")
	if _, err := os.Stat(letter); err != nil {
		t.Errorf("a foreign file is gone: %v", err)
	}
}

func TestRefusal_ClusterUnderTheNameOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, filepath.Join(dir, "pg15", "data", "PG_VERSION"), "14\n")
	wantRefusal(t, Options{Dir: dir},
		dir+`/pg15/data holds a cluster of PostgreSQL "14", not 15: move it away, or to the directory of its own version`)
}

func TestRefusal_ClusterOpenToOthers(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	base := filepath.Dir(dataOf(t, dir))
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, Options{Dir: dir, DownloadFrom: NoDownload},
		"the data directory "+dir+" cannot be used: "+base+" is open to other accounts (mode 0755): chmod 700 it; choose another with --data-dir")
}

func TestRefusal_OnlyAClusterOfAnotherVersion(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, filepath.Join(dir, "pg99", "data", "PG_VERSION"), "99\n")
	major, p := installedMajor(t)
	wantRefusal(t, Options{Dir: dir}, fmt.Sprintf(
		"PostgreSQL 99 was not found: install it, or move %[1]s/pg99 away to begin with an empty database (there is no download of PostgreSQL 99); PostgreSQL %[2]d in %[3]s is another major",
		dir, major, p.dir))
	wantRefusal(t, Options{Dir: dir, BinDir: p.dir}, fmt.Sprintf(
		"%[3]s has PostgreSQL %[2]d: name the programs of PostgreSQL 99, or move %[1]s/pg99 away to begin with an empty database",
		dir, major, p.dir))
	if made := globbed(t, dir, "pg*"); len(made) != 1 {
		t.Errorf("clusters after the refusal: %v, want pg99 alone", made)
	}
}

func TestRefusal_NoPostgreSQL(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Dir(newDir(t))) // the library leaves a file there
	dir := newDir(t)
	nowhere := func(context.Context) []string { return nil }
	_, err := open(t.Context(), Options{Dir: dir, DownloadFrom: NoDownload}, nowhere)
	if want := "embedded PostgreSQL: no PostgreSQL 15 or later was found: install it, set DATABASE_URL to a server of your own, or allow the download (the download is switched off)"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	_, err = open(t.Context(), Options{Dir: dir, DownloadFrom: "http://127.0.0.1:1"}, nowhere)
	if want := "embedded PostgreSQL: no PostgreSQL 15 or later was found: install it, set DATABASE_URL to a server of your own, or allow the download " +
		"(downloading PostgreSQL 18.3.0 from http://127.0.0.1:1: unable to connect to http://127.0.0.1:1)"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestRefusal_WrongPrograms(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	parent := filepath.Dir(dir)
	script := func(name, text string) string {
		bin := filepath.Join(parent, name)
		for _, program := range []string{"postgres", "initdb"} {
			writeProgram(t, filepath.Join(bin, program), text)
		}
		return bin
	}
	empty := filepath.Join(parent, "empty")
	wantRefusal(t, Options{Dir: dir, BinDir: empty}, empty+" has no initdb and postgres: name the bin directory of PostgreSQL 15 or later")
	old := script("old", `echo "postgres (PostgreSQL) 13.21"`)
	wantRefusal(t, Options{Dir: dir, BinDir: old}, "PostgreSQL 13 in "+old+" is too old")
	broken := script("broken", `echo "libpq.so.5: not found" >&2; exit 127`)
	wantRefusal(t, Options{Dir: dir, BinDir: broken}, broken+"/postgres does not run (exit status 127):\n\tlibpq.so.5: not found")
	other := script("other", `echo "something else 99"`)
	wantRefusal(t, Options{Dir: dir, BinDir: other}, other+"/postgres does not print its version")

	failing := script("failing", `case $1 in --version) echo "postgres (PostgreSQL) 15.18";; *) echo "initdb: error: could not write: No space left on device" >&2; exit 1;; esac`)
	base := filepath.Join(dir, "pg15")
	wantRefusal(t, Options{Dir: dir, BinDir: failing},
		failing+"/initdb could not create a cluster in "+base+" (exit status 1):\n\tinitdb: error: could not write: No space left on device")
	if left := globbed(t, base, "*"); len(left) > 0 {
		t.Errorf("a failed initdb left %v", left)
	}
}

// A process that holds the lock and hangs must not make others hang without an error.
func TestOpen_EndsWithItsContextWhenTheLockHolderRunsNoServer(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	h, err := openDataDir(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	held, err := openLock(h, "postgres.lock")
	if err != nil {
		t.Fatal(err)
	}
	defer held.close()
	if alone, err := held.tryExclusive(); !alone || err != nil {
		t.Fatalf("locking: %v, %v", alone, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = Open(ctx, Options{Dir: dir})
	contains(t, err, "embedded PostgreSQL: context deadline exceeded")
}

func TestRefusal_UnwritableDirectory(t *testing.T) {
	t.Parallel()
	needOrdinaryUser(t)
	dir := newDir(t)
	if err := os.Mkdir(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, Options{Dir: dir}, "the data directory "+dir+" cannot be used by this account (uid "+uid()+"): open "+dir+
		"/postgres.lock: permission denied; run as its owner, choose another with --data-dir, or set DATABASE_URL")
	below := filepath.Join(dir, "below")
	wantRefusal(t, Options{Dir: below}, "the data directory "+below+" cannot be used by this account (uid "+uid()+"): mkdir "+below+
		": permission denied; run as its owner, choose another with --data-dir, or set DATABASE_URL")
}

func TestSocketDir_LongAndAwkwardNames(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"long":    strings.Repeat("very-", 20) + "long",
		"awkward": "a, b'c\"d %41?&=é",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(newDir(t), tail)
			t.Cleanup(func() {
				for _, data := range globbed(t, globEscape(dir), "pg*", "data") {
					stopServer(t, data)
				}
			})
			c := openDir(t, dir)
			query(t, c.OwnerURL(), `CREATE TABLE kept AS SELECT 42 AS n`)
			socket := c.socket
			if strings.HasPrefix(socket, dir) || !fits(socket) {
				t.Errorf("socket directory %s", socket)
			}
			second := startChild(t, dir)
			if got := second.awaitOpen(); got != "open attached: true" {
				t.Errorf("the second process says %q", got)
			}
			second.close()
			closeNow(t, c)
			if _, err := os.Lstat(socket); err == nil {
				t.Errorf("%s is left", socket)
			}
			wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT n FROM kept`, "42")
		})
	}
}

// Everybody can write where the short directory is made.
func TestSocketDir_PreparedByAnother(t *testing.T) {
	t.Parallel()
	base := filepath.Join(newDir(t), strings.Repeat("x", 120))
	a := testAccount(t)
	dir, err := socketDir(t.Context(), a, base)
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err = socketDir(t.Context(), a, base)
	contains(t, err, dir+" is open to other accounts (mode 0777): chmod 700 it")
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(filepath.Dir(base)), dir); err != nil {
		t.Fatal(err)
	}
	_, err = socketDir(t.Context(), a, base)
	contains(t, err, dir+" is not a directory: move it away")
}

// The error names the major that is not installed: the data directory has no cluster of it.
func TestRefusal_UpgradeToAVersionThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	major, p := installedMajor(t)
	_, err := Upgrade(t.Context(), Options{Dir: dir}, 99, nil)
	want := fmt.Sprintf("embedded PostgreSQL: PostgreSQL 99 was not found: install it, or name another major (there is no download of PostgreSQL 99); PostgreSQL %d in %s is another major", major, p.dir)
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
