package embedded

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

func TestSearch_FindsTheDirectoryBehindALink(t *testing.T) {
	t.Parallel()
	major, p := installedMajor(t)
	linked := filepath.Dir(newDir(t))
	if err := os.Symlink(p.postgres(), filepath.Join(linked, "postgres")); err != nil {
		t.Fatal(err)
	}
	found, skipped := testAccount(t).search(t.Context(), []string{"", ".", "/nowhere", linked})
	if len(skipped) != 0 || len(found) != 1 || found[major] != p {
		t.Errorf("found %v, skipped %v; want %v", found, skipped, p)
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
	found, skipped := testAccount(t).search(t.Context(), append(places, filepath.Join(parent, "client-only")))
	if len(found) != 2 || found[15].dir != places[0] || found[17].dir != places[2] {
		t.Errorf("found %v, want 15 in a and 17 in c", found)
	}
	if want := "PostgreSQL 9 in " + places[3] + " is too old"; len(skipped) != 1 || skipped[0] != want {
		t.Errorf("skipped %q, want %q", skipped, want)
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
func maven(t *testing.T) (string, *atomic.Int32) {
	t.Helper()
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres-linux-x86_64.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(packedPrograms(t)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	asked := new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Whoever can change an archive can take its checksum away too.
		if !strings.HasSuffix(r.URL.Path, "-"+platform()+"-18.3.0.jar") {
			http.NotFound(w, r)
			return
		}
		asked.Add(1)
		_, _ = w.Write(jar.Bytes())
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func packedPrograms(t *testing.T) []byte {
	t.Helper()
	packed, err := os.ReadFile("testdata/programs.txz")
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func bareCluster(t *testing.T, from string) *Cluster {
	t.Helper()
	h, err := openDataDir(t.Context(), newDir(t))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(packedPrograms(t))
	return &Cluster{
		releases: map[int]release{18: {"18.3.0", map[string]string{platform(): hex.EncodeToString(sum[:])}}, 17: releases[17]},
		dir:      h, opts: Options{DownloadFrom: from}, log: slog.New(slog.DiscardHandler),
		searchPaths: func(context.Context) []string { return nil },
	}
}

func TestDownload_OnceForADirectory(t *testing.T) {
	t.Parallel()
	url, asked := maven(t)
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
	t.Parallel()
	url, asked := maven(t)
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
	t.Parallel()
	good, _ := maven(t)
	for name, c := range map[string]struct {
		from string
		want int
		err  string
	}{
		"absent":  {good, 17, "downloading PostgreSQL 17.5.0 from " + good + ": no version found matching 17.5.0"},
		"unknown": {good, 14, "there is no download of PostgreSQL 14"},
		"off":     {NoDownload, 18, "the download is switched off"},
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

// An archive that is not the one whose hash is in the source is not unpacked, and
// not run, whatever its own repository says of it.
func TestDownload_AnotherArchiveIsRefused(t *testing.T) {
	t.Parallel()
	url, asked := maven(t)
	cluster := bareCluster(t, url)
	cluster.releases = releases
	_, err := cluster.download(t.Context(), testAccount(t), 18)
	if contains(t, err, "the archive's SHA-256 is "); asked.Load() != 1 {
		t.Errorf("%d archives were fetched, want 1", asked.Load())
	}
	if left := globbed(t, cluster.dir.dir, "*"); len(left) > 0 {
		t.Errorf("a refused download left %v", left)
	}
}

func TestUnpack_NothingLandsOutside(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, file := range []tar.Header{
		{Typeflag: tar.TypeReg, Name: "../a"}, {Typeflag: tar.TypeReg, Name: "/a"}, {Typeflag: tar.TypeDir, Name: "../d"}, {Typeflag: tar.TypeLink, Name: "a"},
	} {
		if err := unpackFile(root, &file, strings.NewReader("")); err == nil {
			t.Errorf("%q was unpacked", file.Name)
		}
	}
	if err := unpackFile(root, &tar.Header{Typeflag: tar.TypeSymlink, Name: "out", Linkname: "/tmp"}, nil); err != nil {
		t.Fatal(err)
	}
	if err := unpackFile(root, &tar.Header{Typeflag: tar.TypeReg, Name: "out/a"}, strings.NewReader("")); err == nil {
		t.Error("a file was unpacked through a link that leads out")
	}
}

// A process that another goroutine starts would hold the file open for writing, so that
// it could not be run ("text file busy"). Not parallel: others start processes.
func TestUnpack_NoProcessStartsWhileAFileIsOpen(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var read bool
	content := readerFunc(func([]byte) (int, error) {
		read = true
		if syscall.ForkLock.TryLock() {
			syscall.ForkLock.Unlock()
			t.Error("a process could be started")
		}
		return 0, io.EOF
	})
	if err := unpackFile(root, &tar.Header{Typeflag: tar.TypeReg, Name: "a"}, content); err != nil || !read {
		t.Errorf("unpacking: %v, read: %v", err, read)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
