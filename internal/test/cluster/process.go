//go:build linux

package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Process is a running child. It ends with us, even when we are killed.
type Process struct {
	PID  int
	Done chan struct{} // closed when it has ended
	err  error
}

// startProcess keeps the starting thread until the child ends: the kernel
// watches that thread.
func startProcess(cmd *exec.Cmd, atOurEnd syscall.Signal) (*Process, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	cmd.SysProcAttr.Pdeathsig = atOurEnd
	p := &Process{Done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		err := cmd.Start()
		if err == nil {
			p.PID = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.Done)
		}
	}()
	return p, <-started
}

// Signal sends a signal, unless the process has ended.
func (p *Process) Signal(s syscall.Signal) {
	if !p.Ended() {
		_ = syscall.Kill(p.PID, s)
	}
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.Done:
		return true
	default:
		return false
	}
}

// Wait waits for the end, and reports whether it came in time, and how.
func (p *Process) Wait(patience time.Duration) (inTime bool, how error) {
	select {
	case <-p.Done:
		return true, p.err
	case <-time.After(patience):
		return false, nil
	}
}

// ProcessorTime is what the process has used, of all processors together.
func (p *Process) ProcessorTime() time.Duration { return ProcessorTime(p.PID) }

// ProcessorTime is what the server's processes have used that are there now.
func (p *Postgres) ProcessorTime() time.Duration {
	used := p.process.ProcessorTime()
	for _, pid := range childrenOf(p.process.PID) {
		used += ProcessorTime(pid)
	}
	return used
}

// ProcessorTime is what a process has used, of all processors together.
func ProcessorTime(pid int) (used time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // only a malformed pattern is an error
	for _, path := range threads {
		text, err := os.ReadFile(path)
		var running time.Duration
		if _, scanned := fmt.Sscan(string(text), &running); err == nil && scanned == nil {
			used += running
		}
	}
	return used
}

// Memory is a figure of a process's status, such as VmHWM:, in megabytes.
func Memory(pid int, name string) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, after, _ := strings.Cut(string(status), name)
	var kilobytes float64
	_, _ = fmt.Sscan(after, &kilobytes)
	return kilobytes / 1024
}
