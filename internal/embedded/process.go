package embedded

import (
	"bytes"
	"context"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

type process struct {
	pid  int
	done chan struct{} // closed when it has ended
	err  error         // how it ended; read after done
}

// startProcess keeps the starting thread until the child ends: the kernel signals
// the child when that thread ends, and Go would end it sooner.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends here
		err := cmd.Start()
		if err == nil {
			p.pid = cmd.Process.Pid
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop sends the signal and reports whether the child ended in time.
func (p *process) stop(signal syscall.Signal, timeout time.Duration) bool {
	if p.ended() {
		return true
	}
	_ = syscall.Kill(p.pid, signal)
	select {
	case <-p.done:
		return true
	case <-time.After(timeout):
		return false
	}
}

// run waits for a short-lived child and returns its output; when ctx ends, it stops
// the child and the children of the child.
func run(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 10 * time.Second
	p, err := startProcess(cmd)
	if err != nil {
		return "", err
	}
	select {
	case <-p.done:
		return out.String(), p.err
	case <-ctx.Done():
		if !p.stop(syscall.SIGINT, 5*time.Second) {
			_ = syscall.Kill(-p.pid, syscall.SIGKILL)
			<-p.done
		}
		return out.String(), context.Cause(ctx)
	}
}

// serverEnv is what the programs need of the environment. The rest may hold
// secrets, which any process of the server's account could read, and settings of
// PostgreSQL's. A fixed locale keeps its messages English, since some are searched
// for, and avoids a crash of macOS's locale library.
func serverEnv(environ []string) []string {
	kept := []string{"LC_ALL=C"}
	for _, e := range environ {
		switch name, _, _ := strings.Cut(e, "="); name {
		case "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH":
			kept = append(kept, e)
		}
	}
	return kept
}
