//go:build linux || darwin || freebsd

package embedded

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the releases
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	embeddedpostgres "github.com/fergusstrange/embedded-postgres"
	"github.com/xi2/xz"
)

// release is a version of PostgreSQL that can be downloaded, of the Maven artifacts
// io.zonky.test.postgres.
type release struct {
	Version embeddedpostgres.PostgresVersion
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

// fetch downloads the release and unpacks it in the staging directory, unless its
// archive is another one than this source names.
func (r release) fetch(ctx context.Context, from, staging string) (dir string, err error) {
	want, known := r.SHA256[platform()]
	if !known {
		return "", errors.New("there is none for " + platform())
	}
	archive, err := r.download(ctx, from, staging)
	if err != nil {
		return "", err
	}
	if got := sha256.Sum256(archive); hex.EncodeToString(got[:]) != want {
		return "", fmt.Errorf("the archive's SHA-256 is %x, not %s: it is not the one that this program was made for", got, want)
	}
	dir = filepath.Join(staging, "unpacked")
	return dir, unpack(archive, dir)
}

// download uses the library for the artifacts' names and addresses only. Its
// checksum comes from where the archive comes from, and is not needed; it unpacks
// without looking, wipes clusters of another version, and does not run as root. So
// its Start is to download, and then to fail: it cannot unpack below a link that
// leads nowhere. The library takes no context: when ctx ends, its goroutine goes on
// and its result is dropped.
func (r release) download(ctx context.Context, from, staging string) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, 10*time.Minute, errors.New("no end after ten minutes"))
	defer stop()
	nowhere := filepath.Join(staging, "nowhere")
	if err := os.Symlink("missing", nowhere); err != nil {
		return nil, err
	}
	cache := filepath.Join(staging, "cache")
	config := embeddedpostgres.DefaultConfig()
	if from != "" {
		config = config.BinaryRepositoryURL(from)
	}
	pg := embeddedpostgres.NewDatabase(config.Version(r.Version).Port(0).Logger(io.Discard).
		CachePath(cache).RuntimePath(filepath.Join(staging, "runtime")).BinariesPath(filepath.Join(nowhere, "programs")))
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil { // the library panics when it cannot clean up
				done <- fmt.Errorf("downloading: %v", p)
			}
		}()
		done <- pg.Start()
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case err := <-done:
		found, _ := filepath.Glob(filepath.Join(globEscape(cache), "*.txz"))
		if len(found) != 1 {
			return nil, err
		}
		return os.ReadFile(found[0])
	}
}

// unpack writes the archive's files below dir. No name and no link leads out of it.
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
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.FileInfo().Mode().Perm())
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	default:
		return fmt.Errorf("%s is of type %q", name, file.Typeflag)
	}
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
