package embedded

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// dieWithParent has the kernel stop the server, in the orderly way, when the
// thread that starts it ends: also when we are killed and can do nothing.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// commandNames reports whether the process was started with this argument.
func commandNames(pid int, argument string) bool {
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

// serves reports whether the process may be a server of the data directory
// that was started under another name: a server works in its directory.
func serves(pid int, data string) bool {
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && cwd == data
}
