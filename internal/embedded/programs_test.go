//go:build linux || darwin || freebsd

package embedded

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSearch_FindsTheDirectoryBehindALink(t *testing.T) {
	t.Parallel()
	major, p := installedMajor(t)
	linked := filepath.Dir(newDir(t))
	if err := os.Symlink(p.postgres(), filepath.Join(linked, "postgres")); err != nil {
		t.Fatal(err)
	}
	found, passed := testAccount(t).search(t.Context(), []string{"", ".", "/nowhere", linked})
	if len(passed) != 0 || len(found) != 1 || found[major] != p {
		t.Errorf("found %v, passed over %v; want %v", found, passed, p)
	}
}

func TestSearch_EachVersionOnce(t *testing.T) {
	t.Parallel()
	parent := filepath.Dir(newDir(t))
	var places []string
	for _, place := range []struct{ name, version string }{
		{"a", "15.2"}, {"b", "15.18 (Debian 15.18-0+deb12u1)"}, {"c", "17beta1"}, {"d", "9.6.24"},
	} {
		bin := filepath.Join(parent, place.name)
		writeProgram(t, filepath.Join(bin, "postgres"), "echo 'postgres (PostgreSQL) "+place.version+"'")
		writeProgram(t, filepath.Join(bin, "initdb"), "exit 1")
		places = append(places, bin)
	}
	writeProgram(t, filepath.Join(parent, "client-only", "postgres"), "echo 'postgres (PostgreSQL) 18.0'")
	found, passed := testAccount(t).search(t.Context(), append(places, filepath.Join(parent, "client-only")))
	if len(found) != 2 || found[15].dir != places[0] || found[17].dir != places[2] {
		t.Errorf("found %v, want 15 in a and 17 in c", found)
	}
	if want := "PostgreSQL 9 in " + places[3] + " is too old"; len(passed) != 1 || passed[0] != want {
		t.Errorf("passed over %q, want %q", passed, want)
	}
}

func writeProgram(t *testing.T, path, script string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "script")
	writeFile(t, source, "#!/bin/sh\n"+script+"\n")
	copyFile(t, source, path)
}

// maven serves programs that only tell their version, packed as the real
// ones are. It counts the archives asked for.
func maven(t *testing.T, checksum func([]byte) string) (string, *atomic.Int32) {
	t.Helper()
	programs, err := os.ReadFile("testdata/programs.txz")
	if err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres-linux-x86_64.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(programs); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	asked := new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.Contains(r.URL.Path, "/18.3.0/"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			_, _ = w.Write([]byte(checksum(jar.Bytes())))
		default:
			asked.Add(1)
			_, _ = w.Write(jar.Bytes())
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func bareCluster(t *testing.T, from string) *Cluster {
	t.Helper()
	h, err := openDataDir(t.Context(), newDir(t))
	if err != nil {
		t.Fatal(err)
	}
	return &Cluster{
		dir: h, opts: Options{DownloadFrom: from}, log: slog.New(slog.DiscardHandler),
		searchPaths: func(context.Context) []string { return nil },
	}
}

func TestDownload_OnceForADirectory(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Dir(newDir(t))) // the library leaves a file there
	url, asked := maven(t, sha256Hex)
	c := bareCluster(t, url)
	writeFile(t, filepath.Join(c.dir.dir, "postgres-download-1", "half"), "killed")
	want := programs{filepath.Join(c.dir.dir, "postgres-18.3.0", "bin"), 18}
	for range 2 {
		if got, err := c.choose(t.Context(), testAccount(t), 0); err != nil || got != want {
			t.Fatalf("choose: %v, %v; want %v", got, err, want)
		}
	}
	if got := asked.Load(); got != 1 {
		t.Errorf("%d downloads, want 1", got)
	}
	if left := globbed(t, c.dir.dir, "*"); len(left) != 1 {
		t.Errorf("the data directory holds %v, want the programs alone", left)
	}
}

// A power loss may leave files empty that were there before it.
func TestDownload_ReplacesWhatNoLongerRuns(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Dir(newDir(t))) // the library leaves a file there
	url, asked := maven(t, sha256Hex)
	c := bareCluster(t, url)
	if _, err := c.choose(t.Context(), testAccount(t), 18); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(c.dir.dir, "postgres-18.3.0", "bin", "postgres"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := c.choose(t.Context(), testAccount(t), 18); err != nil {
		t.Fatal(err)
	}
	if got := asked.Load(); got != 2 {
		t.Errorf("%d downloads, want 2", got)
	}
}

func TestDownload_Refusals(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Dir(newDir(t))) // the library leaves a file there
	good, _ := maven(t, sha256Hex)
	forged, _ := maven(t, func([]byte) string { return sha256Hex(nil) })
	for name, c := range map[string]struct {
		from string
		want int
		err  string
	}{
		"checksum": {forged, 18, "downloading PostgreSQL 18.3.0 from " + forged + ": downloaded checksums do not match"},
		"absent":   {good, 17, "downloading PostgreSQL 17.5.0 from " + good + ": no version found matching 17.5.0"},
		"unknown":  {good, 14, "there is no download of PostgreSQL 14"},
		"off":      {NoDownload, 18, "the download is switched off"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := bareCluster(t, c.from)
			_, err := cluster.download(t.Context(), testAccount(t), c.want)
			if err == nil || err.Error() != c.err {
				t.Errorf("got %v, want %s", err, c.err)
			}
			if left := globbed(t, cluster.dir.dir, "*"); len(left) > 0 {
				t.Errorf("a failed download left %v", left)
			}
		})
	}
}
