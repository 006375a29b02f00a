package embedded

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// dieWithParent lets the kernel send the server SIGINT, its fast shutdown, when
// the thread that started it ends, even if this process is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

func hasArgument(pid int, argument string) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return false
	}
	for arg := range bytes.SplitSeq(text, []byte{0}) {
		if string(arg) == argument {
			return true
		}
	}
	return false
}

// worksIn reports whether the process may be a server of the data directory
// that was started under another path: a server works in its directory.
func worksIn(pid int, data string) bool {
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && cwd == data
}
