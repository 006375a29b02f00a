package embedded

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestRefusal_NoDirectory(t *testing.T) {
	t.Parallel()
	wantRefusal(t, Options{}, "no data directory is named: set --data-dir")
}

// Nothing that is there is taken for a cluster of its name, or removed.
func TestRefusal_WhatIsNoClusterOfItsName(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"letter.txt", "PG_VERSION"} {
		dir := newDir(t)
		data := filepath.Join(dir, "pg15", "data")
		writeFile(t, filepath.Join(data, file), "14\n")
		wantRefusal(t, Options{Dir: dir}, data+" is no cluster of PostgreSQL 15: move it away to begin with an empty database, or restore it from a backup")
		if _, err := os.Stat(filepath.Join(data, file)); err != nil {
			t.Errorf("a foreign file is gone: %v", err)
		}
	}
}

// A cluster stays with the major that made it.
func TestRefusal_ClusterOfAnotherMajor(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, filepath.Join(dir, "pg99", "data", "PG_VERSION"), "99\n")
	_, p := installedMajor(t)
	for _, bin := range []string{"", p.dir, Download} {
		wantRefusal(t, Options{Dir: dir, BinDir: bin}, dir+"/pg99/data was made by PostgreSQL 99, whose programs were not found: "+
			"install them, or name their directory in CLIENTINTEL_POSTGRES_BIN; to change to another major, export each client with them "+
			"(clientintel clients export CLIENT --with-keys), and import that into another data directory")
	}
	if made := globbed(t, dir, "pg*"); len(made) != 1 {
		t.Errorf("clusters after the refusal: %v, want pg99 alone", made)
	}
}

func TestRefusal_DirectoryIsAClusterItself(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	writeFile(t, filepath.Join(dir, "PG_VERSION"), "15\n")
	wantRefusal(t, Options{Dir: dir},
		dir+" is a PostgreSQL cluster itself: name another directory with --data-dir, or set DATABASE_URL to that server")
}

// The socket's path goes into a URL and into a setting of the server.
func TestSocketDir_LongAndAwkwardNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{`Ünï-日本 [*] 100%41#?a+b&c=d;e'f"g\h`, "a,b", strings.Repeat("very-", 20) + "long"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(newDir(t), name)
			t.Cleanup(func() {
				for _, data := range globbed(t, globEscape(dir), "pg*", "data") {
					stopServer(t, data)
				}
			})
			ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a URL that is wrong makes Open wait
			defer stop()
			c, err := Open(ctx, Options{Dir: dir})
			require.NoError(t, err)
			defer closeNow(t, c)
			if short := filepath.Dir(c.socket) == dir; short != (len(name) < 50 && name != "a,b") || !fits(c.socket) {
				t.Errorf("socket directory %s", c.socket)
			}
			wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
			second := startChild(t, dir)
			check.Equal(t, second.awaitOpen(), "open attached: true", "the second process says")
			second.close()
		})
	}
}

// Everybody can write where the short directory is made.
func TestSocketDir_PreparedByAnother(t *testing.T) {
	t.Parallel()
	base := filepath.Join(newDir(t), strings.Repeat("x", 120))
	a := testAccount(t)
	dir, err := a.socketDir(base)
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	require.NoError(t, os.Chmod(dir, 0o777))
	_, err = a.socketDir(base)
	check.Error(t, err, dir+" is open to other accounts (mode 0777): chmod 700 it")
	_ = os.Remove(dir)
	require.NoError(t, os.Symlink(filepath.Dir(filepath.Dir(base)), dir))
	_, err = a.socketDir(base)
	check.Error(t, err, dir+" is not a directory: move it away")
}
