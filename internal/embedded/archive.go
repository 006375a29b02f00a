package embedded

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed" // the releases
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/xi2/xz"
)

// release is a version of PostgreSQL that can be downloaded, of the Maven artifacts
// io.zonky.test.postgres.
type release struct {
	Version string
	// SHA256 are the hashes of its archives (tar, xz), by platform. Without one
	// nothing is downloaded.
	SHA256 map[string]string
}

//go:embed releases.json
var releasesJSON []byte

// releases are those of the file, by major.
var releases = func() (all map[int]release) {
	if err := json.Unmarshal(releasesJSON, &all); err != nil {
		panic(err) // a file of ours
	}
	return all
}()

// platform is this system's name among the artifacts.
func platform() string {
	name := runtime.GOOS + "-" + runtime.GOARCH
	if runtime.GOARCH == "arm64" {
		name += "v8"
	}
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		name += "-alpine"
	}
	return name
}

// fetch downloads the release and unpacks it below dir, unless the archive's hash is not
// that of the release.
func (r release) fetch(ctx context.Context, from, dir string) error {
	want, known := r.SHA256[platform()]
	if !known {
		return errors.New("there is none for " + platform())
	}
	archive, err := r.download(ctx, from)
	if err != nil {
		return err
	}
	if got := sha256.Sum256(archive); hex.EncodeToString(got[:]) != want {
		return fmt.Errorf("the archive's SHA-256 is %x, not %s: it is not the one that this program was made for", got, want)
	}
	return unpack(archive, dir)
}

// download fetches the artifact, a zip, and returns the archive in it.
func (r release) download(ctx context.Context, from string) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("no end after ten minutes"))
	defer stop()
	from = cmp.Or(from, "https://repo1.maven.org/maven2")
	artifact := "embedded-postgres-binaries-" + platform()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%[2]s-%[3]s.jar", from, artifact, r.Version), nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("unable to connect to %s", from)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("no version found matching %s", r.Version)
	}
	jar, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	files, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return nil, err
	}
	found, _ := fs.Glob(files, "*.txz") // only a malformed pattern is an error
	if len(found) != 1 {
		return nil, errors.New("the artifact holds no archive")
	}
	return fs.ReadFile(files, found[0])
}

// unpack writes the archive's files below dir. No name and no link can point outside it.
func unpack(archive []byte, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	plain, err := xz.NewReader(bytes.NewReader(archive), 0)
	if err != nil {
		return err
	}
	for files := tar.NewReader(plain); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return readable(root)
		}
		if err == nil {
			err = unpackFile(root, file, files)
		}
		if err != nil {
			return fmt.Errorf("unpacking: %w", err)
		}
	}
}

func unpackFile(root *os.Root, file *tar.Header, content io.Reader) error {
	name := strings.TrimSuffix(path.Clean(file.Name), "/")
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch file.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(file.Linkname, name)
	case tar.TypeReg:
		return unpackRegular(root, name, file.FileInfo().Mode().Perm(), content)
	default:
		return fmt.Errorf("%s is of type %q", name, file.Typeflag)
	}
}

// unpackRegular lets no other goroutine start a process meanwhile, which would hold the
// file open for writing for a moment: the kernel runs no such file.
func unpackRegular(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

// readable lets the account that runs the server read what was unpacked, even
// under a strict umask of root's.
func readable(root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if mode&0o100 != 0 || d.IsDir() {
			mode |= 0o111
		}
		return root.Chmod(path, mode)
	})
}

// download fetches PostgreSQL of the major wanted (0: the newest) into the
// data directory.
func (c *Cluster) download(ctx context.Context, a account, want int) (programs, error) {
	if want == 0 {
		want = slices.Max(slices.Collect(maps.Keys(c.releases)))
	}
	release, ok := c.releases[want]
	source := cmp.Or(c.opts.DownloadFrom, "Maven Central")
	switch {
	case c.opts.DownloadFrom == NoDownload:
		return programs{}, errors.New("the download is switched off")
	case !ok:
		return programs{}, fmt.Errorf("there is no download of PostgreSQL %d", want)
	}
	_ = removeAll(c.dir.dir, "postgres-download-*") // left by a killed process: this one has the server lock
	staging, err := os.MkdirTemp(c.dir.dir, "postgres-download-")
	if err != nil {
		return programs{}, dirError(c.dir.dir, err)
	}
	defer os.RemoveAll(staging)
	c.log.Info("no installed PostgreSQL fits; downloading one", "version", release.Version, "from", source)
	unpacked := filepath.Join(staging, "unpacked")
	if err := release.fetch(ctx, c.opts.DownloadFrom, unpacked); err != nil {
		return programs{}, fmt.Errorf("downloading PostgreSQL %s from %s: %w", release.Version, source, err)
	}
	if err := os.Chmod(staging, 0o755); err != nil { // for the account that runs the server
		return programs{}, dirError(c.dir.dir, err)
	}
	// Only programs that run here are kept.
	found, skipped := a.search(ctx, []string{filepath.Join(unpacked, "bin")})
	if _, ok := found[want]; !ok {
		return programs{}, fmt.Errorf("the PostgreSQL %s downloaded from %s cannot be used here%s", release.Version, source, skippedNote(skipped))
	}
	target := filepath.Join(c.dir.dir, "postgres-"+release.Version)
	// An existing one was skipped above: a power loss left it unreadable.
	if err := os.Rename(target, filepath.Join(staging, "broken")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return programs{}, dirError(c.dir.dir, err)
	}
	if err := os.Rename(unpacked, target); err != nil {
		return programs{}, dirError(c.dir.dir, err)
	}
	return programs{filepath.Join(target, "bin"), want}, nil
}
