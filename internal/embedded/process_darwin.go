package embedded

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: a server that outlives a killed parent is
// stopped by the next start.
func dieWithParent(*syscall.SysProcAttr) {}

func hasArgument(pid int, argument string) bool {
	return strings.Contains(commandLine(pid)+" ", " "+argument+" ")
}

// worksIn reports whether the process may be a server of the data directory
// that was started under another name: any PostgreSQL may.
func worksIn(pid int, _ string) bool {
	program, _, _ := strings.Cut(commandLine(pid), " ")
	return strings.HasPrefix(filepath.Base(program), "postgres")
}

func commandLine(pid int) string {
	out, err := exec.CommandContext(context.Background(), "ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
