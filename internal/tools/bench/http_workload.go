package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

// requests are what an HTTP workload sends.
type requests struct {
	service     *serverProcess
	keys        *keyPool
	paths       []string
	post        string // the endpoint that paths are posted to as messages; empty: GET
	groups      int    // keys and paths of one client each, in turn; 0 for one client
	connections int
	contains    string
	minBytes    int64
}

// httpWorkload sends requests to a server.
func (s *session) httpWorkload(name string, a requests) workload {
	return workload{name, func(ctx context.Context, d time.Duration) (sample, error) {
		if err := s.renew(ctx, a.keys); err != nil {
			return sample{}, err
		}
		pid := a.service.pid()
		server, database := cpuOf(pid), cpuOfTree(s.postmaster)
		wal, err := walPosition(ctx, s.admin)
		if err != nil {
			return sample{}, err
		}
		result, err := s.generate(ctx, load.Job{
			Targets: []string{a.service.address}, Connections: a.connections, Duration: d,
			Keys: a.keys.keys, FirstKey: a.keys.used, Paths: a.paths, Post: a.post, Groups: a.groups, Statuses: []int{http.StatusOK},
			Contains: a.contains, MinBytes: max(a.minBytes, 2),
		})
		if err != nil {
			return sample{}, err
		}
		a.keys.used += result.Requests
		n := time.Duration(result.Requests)
		took := sample{
			requests: result.Requests, rate: float64(result.Requests) / result.Elapsed.Seconds(),
			mean: result.Mean, p50: result.P50, p99: result.P99,
			server: (cpuOf(pid) - server) / n, database: (cpuOfTree(s.postmaster) - database) / n, generator: result.CPU / n,
			peak: memoryOf(pid, "status", "VmHWM"),
		}
		after, err := walPosition(ctx, s.admin)
		took.wal = (after - wal) / float64(result.Requests)
		return took, err
	}}
}

// generate runs the load generator in a process of its own. A wrong response is
// an error.
func (s *session) generate(ctx context.Context, job load.Job) (load.Result, error) {
	var result load.Result
	s.jobs++
	job.Seed = s.jobs
	text, err := json.Marshal(job)
	if err != nil {
		return result, err
	}
	cmd := exec.CommandContext(ctx, s.self, "load")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), &stderr
	out, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("the load generator: %w: %s", err, stderr.Bytes())
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return result, fmt.Errorf("the load generator's result: %w", err)
	}
	if result.Fault != "" {
		return result, fmt.Errorf("a wrong response: %s", result.Fault)
	}
	if result.Requests == 0 {
		return result, fmt.Errorf("no request was answered in %s", job.Duration)
	}
	return result, nil
}

// walPosition is how much log PostgreSQL has written, in bytes.
func walPosition(ctx context.Context, conn *pgx.Conn) (float64, error) {
	var at float64
	err := conn.QueryRow(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8").Scan(&at)
	return at, err
}
