//go:build linux || darwin || freebsd

package embedded

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// release is a version of PostgreSQL that can be downloaded.
type release struct {
	version embeddedpostgres.PostgresVersion
	// sha256 are the hashes of its archives (tar, xz), by platform. Without one
	// nothing is downloaded.
	sha256 map[string]string
}

// releases are those of the Maven artifacts io.zonky.test.postgres, by major.
var releases = map[int]release{
	15: {"15.13.0", map[string]string{
		"darwin-amd64":       "b598f5282af8b765ba7c2814c08d02bd36ce9d276a8c2c7276aa060307b09b3f",
		"linux-amd64":        "ea2ce47da4b49c18ba26356c6e1b7284a38670448cd82d6aa764761e9362c21c",
		"linux-amd64-alpine": "2e329116ba5120086d1da15c75cc37d8fa1cac162ad983dd9ccd17cc1d143177",
	}},
	16: {"16.9.0", map[string]string{
		"darwin-amd64":       "4bd733c160b0bdcc8fa4ba50ce1abebdbf3db3825dd2139f5504a24b7ed227f3",
		"darwin-arm64v8":     "090e91773217f8d3d222699a6da2bf5533ffab8c6b65b14df63cba3b1b63ea5a",
		"linux-amd64":        "53146949c7fb36014091ac8db42529ab9b923b4a06d0c0d9087694e9c296feef",
		"linux-amd64-alpine": "58c3ee961a6cbb7af8913cf2702f61269d7e49558e19de5d5d005ec5d20ee6df",
		"linux-arm64v8":      "c0dc09808068c99357cc9fbf9b4ecb6df1c0725f678cc2d6bfa68a48d6ef1062",
	}},
	17: {"17.5.0", map[string]string{
		"darwin-amd64":       "9418e2e93bf4a767dcd56b417c0b823ab237f935ad2460df1ce43ed65ea017c3",
		"darwin-arm64v8":     "746918d0d88eb766e51b43d93ac0d4dbcd6730ff0ac61399a4fcfd626d6ea287",
		"linux-amd64":        "8f438e206259d3ec5be6fb8ee6180f5d46234156659ed1238f6ab4806cfccf0f",
		"linux-amd64-alpine": "9bbbdc4a892b02911c3825ee6e29ffc2cc73df40acfcebf41a1ca3c5f804edb3",
		"linux-arm64v8":      "b931564ba20d4009d70c37ceb27109213f696cfd507c4ecb769c6d6762454a1c",
	}},
	18: {"18.3.0", map[string]string{
		"darwin-amd64":       "2c5f22fa675ee78264a2ea8c7543310c32590465a4f72fb4287ca65ec484f7dd",
		"darwin-arm64v8":     "61f9b7026404f15abd4ec7e5724f672795c08cecc58ece212f85da3bf4de2b91",
		"linux-amd64":        "e09b13df10e9df257275d498b19b8c214a3e86d7a5d8cd263b0860e308e8b0b6",
		"linux-amd64-alpine": "5e47f96951026dc460b876fa62379f7c7666eb6293d076900e2c71703e5a1de6",
		"linux-arm64v8":      "f9695b61cff9e5c9b8e02a938158740a711c7a55304dd49ca634c8b947bf6b27",
	}},
}

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
	want, known := r.sha256[platform()]
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
	pg := embeddedpostgres.NewDatabase(config.Version(r.version).Port(0).Logger(io.Discard).
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
