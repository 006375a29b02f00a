package embedded

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/xi2/xz"
)

// release is a version of PostgreSQL among the Maven artifacts io.zonky.test.postgres.
type release struct {
	repository string
	major      int
	version    string
	// sha256 are the hashes of its archives (tar, xz), by platform.
	sha256 map[string]string
}

// pinned is the release that is fetched where no PostgreSQL is installed.
var pinned = release{"https://repo1.maven.org/maven2", 18, "18.3.0", map[string]string{
	"darwin-amd64":   "2c5f22fa675ee78264a2ea8c7543310c32590465a4f72fb4287ca65ec484f7dd",
	"darwin-arm64v8": "61f9b7026404f15abd4ec7e5724f672795c08cecc58ece212f85da3bf4de2b91",
	"linux-amd64":    "e09b13df10e9df257275d498b19b8c214a3e86d7a5d8cd263b0860e308e8b0b6",
	"linux-arm64v8":  "f9695b61cff9e5c9b8e02a938158740a711c7a55304dd49ca634c8b947bf6b27",
}}

// platform is this system's name among the artifacts.
func platform() string {
	name := runtime.GOOS + "-" + runtime.GOARCH
	if runtime.GOARCH == "arm64" {
		name += "v8"
	}
	return name
}

// download fetches the release into the data directory. Programs that are there already do
// not run: a power loss left them incomplete.
func (c *Cluster) download(ctx context.Context) error {
	removeAll(c.dir.dir, "postgres-download-*") // left by a killed process: this one has the server lock
	c.log.Info("no installed PostgreSQL fits; downloading one", "version", c.release.version, "from", c.release.repository)
	archive, err := c.release.fetch(ctx)
	if err != nil {
		return err
	}
	fresh := filepath.Join(c.dir.dir, "postgres-download-"+rand.Text())
	target := filepath.Join(c.dir.dir, "postgres-"+c.release.version)
	if err = unpack(archive, fresh); err == nil {
		err = errors.Join(os.RemoveAll(target), os.Rename(fresh, target))
	}
	if err != nil {
		_ = os.RemoveAll(fresh)
	}
	return err
}

// fetch returns the archive, which is in a zip, unless its hash is another than the
// release's.
func (r release) fetch(ctx context.Context) ([]byte, error) {
	want, known := r.sha256[platform()]
	if !known {
		return nil, errors.New("there is none for " + platform())
	}
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	defer stop()
	artifact := "embedded-postgres-binaries-" + platform()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("%s/io/zonky/test/postgres/%s/%s/%[2]s-%[3]s.jar", r.repository, artifact, r.version), nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	jar, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	files, err := zip.NewReader(bytes.NewReader(jar), int64(len(jar)))
	if err != nil {
		return nil, err
	}
	found, _ := fs.Glob(files, "*.txz") // only a malformed pattern is an error
	if len(found) != 1 {
		return nil, errors.New("the artifact holds no archive")
	}
	archive, err := fs.ReadFile(files, found[0])
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(archive); hex.EncodeToString(got[:]) != want {
		return nil, fmt.Errorf("the archive's SHA-256 is %x, not %s: it is not the one that this program was made for", got, want)
	}
	return archive, nil
}

// unpack writes the archive's files below dir. No name and no link can point outside it.
func unpack(archive []byte, dir string) error {
	// The account that runs the server reads them, whatever this process's umask is.
	defer syscall.Umask(syscall.Umask(0o022))
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
			return nil
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
	name := path.Clean(file.Name)
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch file.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(file.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.FileInfo().Mode().Perm()|0o444)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	default:
		return fmt.Errorf("%s is of type %q", name, file.Typeflag)
	}
}
