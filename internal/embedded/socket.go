package embedded

import (
	"crypto/sha256"
	"fmt"
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
// too long or not fit a URL or a setting, one below /tmp that is named after it.
func (a account) socketDir(base string) (string, error) {
	if fits(base) {
		return base, nil
	}
	sum := sha256.Sum256([]byte(base))
	dir := fmt.Sprintf("/tmp/clientintel-%d-%x", a.uid, sum[:6])
	if err := a.makeDir(dir); err != nil {
		return "", fmt.Errorf("making a directory for the socket, because one in %s would have too long a name: %w", base, err)
	}
	return dir, nil
}

func fits(dir string) bool {
	return len(dir)+1+len(socketName) <= maxSocketPath && !strings.ContainsFunc(dir, func(r rune) bool { return r < ' ' || r == ',' || r == 0x7f })
}

// clearSocket removes the socket of a server that is known to be dead: its
// lock file may name a process id that is in use again.
func clearSocket(dir string) {
	_ = os.Remove(filepath.Join(dir, socketName))
	_ = os.Remove(filepath.Join(dir, socketName+".lock"))
}
