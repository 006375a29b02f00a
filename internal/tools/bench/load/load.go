// Package load sends requests over keep-alive connections and measures how long each
// waits for its response. It runs in a process of its own, on one thread.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// Job is the requests to send.
type Job struct {
	Address     string // host:port
	Connections int
	Duration    time.Duration
	// Clients are asked for in turn.
	Clients []Client
	// Post is the endpoint to which paths are posted as messages. Empty: they are requested
	// with GET.
	Post string
	// First is the number of the first request, on which its key depends.
	First int
	Seed  uint64
	// Contains is a text of each response's body.
	Contains string
}

// Client is a client's keys, which are used in turn, and the paths to choose from.
type Client struct{ Keys, Paths []string }

// Result is what was measured.
type Result struct {
	Requests                int
	Elapsed, Mean, P50, P99 time.Duration
	// CPU is what this process used.
	CPU time.Duration
	// Fault describes the first wrong response, which ends the job.
	Fault string
}

// Main reads a job and writes its result.
func Main(ctx context.Context, in io.Reader, out io.Writer) error {
	runtime.GOMAXPROCS(1)
	var job Job
	if err := json.NewDecoder(in).Decode(&job); err != nil {
		return fmt.Errorf("reading the job: %w", err)
	}
	return json.NewEncoder(out).Encode(Run(ctx, job))
}

// patience is how long a response may take.
const patience = time.Minute

// Run does the job.
func Run(ctx context.Context, job Job) Result {
	var next atomic.Int64
	var fault atomic.Pointer[string]
	next.Store(int64(job.First))
	times := make([][]time.Duration, job.Connections)
	cpu, began := processCPU(), time.Now()
	var all sync.WaitGroup
	for i := range times {
		all.Go(func() {
			c := connection{
				Job: job, random: rand.New(rand.NewPCG(job.Seed, uint64(i))),
				client: &fasthttp.HostClient{
					Addr: job.Address, MaxConns: 1, ReadTimeout: patience, MaxIdemponentCallAttempts: 1, ReadBufferSize: 64 << 10,
				},
			}
			defer c.client.CloseIdleConnections()
			for fault.Load() == nil && ctx.Err() == nil && time.Since(began) < job.Duration {
				started := time.Now()
				if err := c.send(int(next.Add(1) - 1)); err != nil {
					fault.CompareAndSwap(nil, new(err.Error()))
					return
				}
				times[i] = append(times[i], time.Since(started))
			}
		})
	}
	all.Wait()
	result := summary(slices.Concat(times...))
	result.Elapsed, result.CPU = time.Since(began), processCPU()-cpu
	if first := fault.Load(); first != nil {
		result.Fault = *first
	}
	return result
}

type connection struct {
	Job
	client   *fasthttp.HostClient
	random   *rand.Rand
	request  fasthttp.Request
	response fasthttp.Response
}

// send sends the n-th request and checks its response.
func (c *connection) send(n int) error {
	client := c.Clients[n%len(c.Clients)]
	path := client.Paths[c.random.IntN(len(client.Paths))]
	c.request.Header.Set("Authorization", "Bearer "+client.Keys[n/len(c.Clients)%len(client.Keys)])
	c.request.SetRequestURI("http://" + c.Address + path)
	if c.Post != "" {
		c.request.SetRequestURI("http://" + c.Address + c.Post)
		c.request.Header.SetMethod(fasthttp.MethodPost)
		c.request.Header.SetContentType("application/json")
		c.request.Header.Set("Accept", "application/json, text/event-stream")
		c.request.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		c.request.SetBodyString(path)
	}
	if err := c.client.Do(&c.request, &c.response); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	body := c.response.Body()
	switch beginning := body[:min(len(body), 300)]; {
	case c.response.StatusCode() != fasthttp.StatusOK:
		return fmt.Errorf("%s: status %d: %s", path, c.response.StatusCode(), beginning)
	case !bytes.Contains(body, []byte(c.Contains)):
		return fmt.Errorf("%s: the response does not contain %s: %s", path, c.Contains, beginning)
	}
	return nil
}

func summary(times []time.Duration) Result {
	if len(times) == 0 {
		return Result{}
	}
	slices.Sort(times)
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	n := len(times)
	return Result{Requests: n, Mean: sum / time.Duration(n), P50: times[n/2], P99: times[n*99/100]}
}

func processCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
