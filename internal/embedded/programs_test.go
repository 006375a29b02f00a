package embedded

import (
	"archive/tar"
	"archive/zip"
	"bytes"
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

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// maven serves programs that only tell their version, packed as the real
// ones are. It counts the archives asked for.
func maven(t *testing.T) (string, *atomic.Int32) {
	t.Helper()
	var jar bytes.Buffer
	z := zip.NewWriter(&jar)
	w, err := z.Create("postgres-linux-x86_64.txz")
	require.NoError(t, err)
	_, err = w.Write(packedPrograms(t))
	require.NoError(t, err)
	require.NoError(t, z.Close())
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
	require.NoError(t, err)
	return packed
}

func bareCluster(t *testing.T, from string) *Cluster {
	t.Helper()
	h, err := openDataDir(newDir(t))
	require.NoError(t, err)
	sum := sha256.Sum256(packedPrograms(t))
	return &Cluster{
		dir: h, log: slog.New(slog.DiscardHandler),
		release: release{from, 18, "18.3.0", map[string]string{platform(): hex.EncodeToString(sum[:])}},
	}
}

// Not parallel: a process that another test starts would hold a program open for writing.
func TestDownload_OnceForADirectory(t *testing.T) {
	url, asked := maven(t)
	c := bareCluster(t, url)
	writeFile(t, filepath.Join(c.dir.dir, "postgres-download-1", "half"), "killed")
	want := programs{filepath.Join(c.dir.dir, "postgres-18.3.0", "bin"), 18}
	for range 2 {
		if got, err := c.choose(t.Context(), testAccount(t), 0); err != nil || got != want {
			t.Fatalf("choose: %v, %v; want %v", got, err, want)
		}
	}
	check.Equal(t, asked.Load(), 1, "downloads")
	if left := globbed(t, c.dir.dir, "*"); len(left) != 1 {
		t.Errorf("the data directory holds %v, want the programs alone", left)
	}
}

// An archive that is not the one whose hash is in the source is not unpacked, and
// not run, whatever its own repository says of it.
func TestDownload_AnotherArchiveIsRefused(t *testing.T) {
	t.Parallel()
	url, asked := maven(t)
	c := bareCluster(t, url)
	c.release.sha256 = pinned.sha256
	_, err := c.choose(t.Context(), testAccount(t), 0)
	if check.Error(t, err, "the archive's SHA-256 is "); asked.Load() != 1 {
		t.Errorf("%d archives were fetched, want 1", asked.Load())
	}
	if left := globbed(t, c.dir.dir, "*"); len(left) > 0 {
		t.Errorf("a refused download left %v", left)
	}
}

func TestUnpack_NothingLandsOutside(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	for _, file := range []tar.Header{
		{Typeflag: tar.TypeReg, Name: "../a"}, {Typeflag: tar.TypeReg, Name: "/a"}, {Typeflag: tar.TypeDir, Name: "../d"}, {Typeflag: tar.TypeLink, Name: "a"},
	} {
		if err := unpackFile(root, &file, strings.NewReader("")); err == nil {
			t.Errorf("%q was unpacked", file.Name)
		}
	}
	require.NoError(t, unpackFile(root, &tar.Header{Typeflag: tar.TypeSymlink, Name: "out", Linkname: "/tmp"}, nil))
	if err := unpackFile(root, &tar.Header{Typeflag: tar.TypeReg, Name: "out/a"}, strings.NewReader("")); err == nil {
		t.Error("a file was unpacked through a link that leads out")
	}
}
