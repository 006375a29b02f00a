package embedded

import (
	"os"
	"strconv"
	"syscall"
)

// dieWithParent lets the kernel send the server SIGINT, its fast shutdown, when
// the thread that started it ends, even if this process is killed.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }

// serves reports whether the process is a server of the data directory: a server works in
// its directory.
func serves(pid int, data string) bool {
	cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	return err == nil && cwd == data
}
