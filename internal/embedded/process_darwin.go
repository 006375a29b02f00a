package embedded

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// dieWithParent does nothing here: a server that outlives a killed parent is
// stopped by the next start.
func dieWithParent(*syscall.SysProcAttr) {}

// serves reports whether the process is a server that was started on the data directory.
func serves(pid int, data string) bool {
	out, err := exec.CommandContext(context.Background(), "ps", "-ww", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), " -D "+data+" ")
}
