package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"
)

// Job is the requests to send.
type Job struct {
	// Targets are addresses, host:port, over which connections are spread.
	Targets     []string
	Connections int
	Duration    time.Duration
	// Keys are taken in turns, the first being FirstKey; paths at random.
	Keys     []string
	FirstKey int
	Paths    []string
	// Post is the path of an MCP endpoint, to which paths are sent as messages.
	// Empty: paths are asked for with GET.
	Post string
	// Groups is the number of groups that keys and paths belong to in turn: a key's
	// path is one of its group. Zero and one: any path.
	Groups int
	Seed   uint64
	// Statuses are those that may come.
	Statuses []int
	// MinBytes is how long the body of a 200 is at least.
	MinBytes int64
	// Contains is a text that the body of a 200 contains. Empty: bodies are not kept.
	Contains string
}

// Result is what was measured.
type Result struct {
	Requests int
	ByStatus map[int]int
	Bytes    int64
	Elapsed  time.Duration
	Mean     time.Duration
	P50, P99 time.Duration
	Max      time.Duration
	// CPU is what this process used.
	CPU time.Duration
	// Fault is the first error; the job ended with it.
	Fault string
}

// Main reads a job and writes its result.
func Main(ctx context.Context, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	var job Job
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	if err := job.check(); err != nil {
		return err
	}
	result, err := Run(ctx, job)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}

func (j Job) check() error {
	switch {
	case len(j.Targets) == 0, len(j.Keys) == 0, len(j.Paths) == 0, len(j.Statuses) == 0:
		return fmt.Errorf("a job needs targets (%d), keys (%d), paths (%d) and statuses (%d)",
			len(j.Targets), len(j.Keys), len(j.Paths), len(j.Statuses))
	case j.Connections < 1 || j.Connections > 1024:
		return fmt.Errorf("a job has 1 to 1024 connections, not %d", j.Connections)
	case j.Groups > 1 && (len(j.Keys)%j.Groups != 0 || len(j.Paths)%j.Groups != 0):
		return fmt.Errorf("%d keys and %d paths are not of %d groups in turn", len(j.Keys), len(j.Paths), j.Groups)
	case j.Duration <= 0:
		return fmt.Errorf("a job lasts a while, not %s", j.Duration)
	}
	return nil
}
