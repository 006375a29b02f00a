package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

// asProgram makes the test binary the program itself, for tests of real processes.
const asProgram = "CLIENTINTEL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// process is a server in a process of its own.
type process struct {
	cmd     *exec.Cmd
	address string
	logs    io.Closer
}

func startServer(t *testing.T, databaseURL string, environ ...string) *process {
	t.Helper()
	p := &process{cmd: exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0],
		"serve", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")}
	p.cmd.Env = append(os.Environ(), asProgram+"=1", "CLIENTINTEL_DRAIN_DELAY=0", "DATABASE_URL="+databaseURL)
	p.cmd.Env = append(p.cmd.Env, environ...)
	logs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.logs = logs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	lines := bufio.NewScanner(logs)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("the server logs %q, which is no JSON", lines.Text())
		}
		if line.Msg == "serving" {
			p.address = line.Address
			break
		}
	}
	if p.address == "" {
		t.Fatal("the server ended before it served")
	}
	go func() {
		for lines.Scan() {
		}
	}()
	return p
}
