package embedded

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	port       = "5432" // a part of the socket's name; nothing listens on a port
	socketName = ".s.PGSQL." + port
	// maxSocketPath is below the limit of every system (104 on macOS).
	maxSocketPath = 99
)

// socketDir is the cluster's own directory or, where the socket's path would be
// too long or not fit a URL or a setting, a directory for temporary files, named
// after the cluster's.
func socketDir(ctx context.Context, a account, base string) (string, error) {
	if fits(base) {
		return base, nil
	}
	sum := sha256.Sum256([]byte(base))
	name := fmt.Sprintf("clientintel-%d-%x", a.uid, sum[:6])
	for _, tmp := range []string{os.TempDir(), "/tmp"} {
		// A link on the way (macOS) would make two names of one directory.
		tmp, err := filepath.EvalSymlinks(tmp)
		if err != nil || !fits(filepath.Join(tmp, name)) || a.checkReach(ctx, tmp) != nil {
			continue
		}
		dir := filepath.Join(tmp, name)
		if err := a.makeDir(dir); err != nil {
			return "", fmt.Errorf("making a directory for the socket, because one in %s would have too long a name: %w", base, err)
		}
		return dir, nil
	}
	return "", fmt.Errorf("%s is too long for a socket, and no directory for temporary files can hold it: choose a shorter directory with --data-dir", base)
}

func fits(dir string) bool {
	return len(dir)+1+len(socketName) <= maxSocketPath && !strings.ContainsFunc(dir, func(r rune) bool { return r < ' ' || r == ',' || r == 0x7f })
}

// clearSocket removes the socket of a server that is known to be dead: its
// lock file may name a process id that is in use again.
func clearSocket(dir string) error {
	for _, name := range []string{socketName, socketName + ".lock"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
