//go:build linux

package cluster

import (
	"os/exec"
	"runtime"
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

// Ended tells whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.Done:
		return true
	default:
		return false
	}
}

// Wait waits for the end and tells whether it came in time, and how.
func (p *Process) Wait(patience time.Duration) (inTime bool, how error) {
	select {
	case <-p.Done:
		return true, p.err
	case <-time.After(patience):
		return false, nil
	}
}
