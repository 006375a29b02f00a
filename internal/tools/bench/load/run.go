package load

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how long a response may take beyond the job's end.
const patience = 60 * time.Second

// run is a job under way.
type run struct {
	Job
	next   atomic.Int64 // number of the next request
	fault  atomic.Pointer[string]
	starts chan struct{} // closed when all are connected
	ends   time.Time     // set before starts is closed
}

// worker is one connection's share.
type worker struct {
	times    []time.Duration
	byStatus map[int]int
	bytes    int64
}

// Run does the job. The error is of the job itself; a wrong response is reported in the
// result.
func Run(ctx context.Context, job Job) (Result, error) {
	r := &run{Job: job, starts: make(chan struct{})}
	r.next.Store(int64(job.FirstKey))
	connections := make([]*connection, job.Connections)
	dialer := net.Dialer{Timeout: 5 * time.Second}
	for i := range connections {
		dialled, err := dialer.DialContext(ctx, "tcp", job.Targets[i%len(job.Targets)])
		if err != nil {
			return Result{}, fmt.Errorf("connecting: %w", err)
		}
		defer dialled.Close()
		connections[i] = newConnection(dialled)
	}
	workers := make([]worker, job.Connections)
	var all sync.WaitGroup
	for i := range connections {
		workers[i].byStatus = map[int]int{}
		all.Go(func() {
			<-r.starts
			r.work(connections[i], &workers[i], rand.New(rand.NewPCG(job.Seed, uint64(i))))
		})
	}
	cpu, begun := processCPU(), time.Now()
	r.ends = begun.Add(job.Duration)
	for _, c := range connections {
		if err := c.SetDeadline(r.ends.Add(patience)); err != nil {
			return Result{}, err
		}
	}
	close(r.starts)
	all.Wait()
	result := summary(workers)
	result.Elapsed, result.CPU = time.Since(begun), processCPU()-cpu
	if fault := r.fault.Load(); fault != nil {
		result.Fault = *fault
	}
	return result, nil
}

func (r *run) work(c *connection, w *worker, random *rand.Rand) {
	for r.fault.Load() == nil {
		began := time.Now()
		if !began.Before(r.ends) {
			return
		}
		n, groups := int(r.next.Add(1)-1)%len(r.Keys), max(r.Groups, 1)
		key := r.Keys[n]
		path := r.Paths[random.IntN(len(r.Paths)/groups)*groups+n%groups]
		response, err := c.send(path, r.Post, key, r.Contains != "")
		if err != nil {
			r.blame("%s: %v", path, err)
			return
		}
		w.times = append(w.times, time.Since(began))
		w.byStatus[response.status]++
		w.bytes += response.length
		switch {
		case !slices.Contains(r.Statuses, response.status):
			r.blame("%s: status %d: %s", path, response.status, response.beginning)
		case response.status == 200 && response.length < r.MinBytes:
			r.blame("%s: %d bytes, want at least %d: %s", path, response.length, r.MinBytes, response.beginning)
		case response.status == 200 && !holds(response.body, []byte(r.Contains)):
			r.blame("%s: the response does not hold %s: %s", path, r.Contains, response.beginning)
		}
	}
}

// holds looks at the end first: meta comes last.
func holds(body, what []byte) bool {
	const end = 2 << 10
	return bytes.Contains(body[max(len(body)-end, 0):], what) || bytes.Contains(body, what)
}

func (r *run) blame(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.fault.CompareAndSwap(nil, &text)
}

func summary(workers []worker) Result {
	var times []time.Duration
	result := Result{ByStatus: map[int]int{}}
	for _, w := range workers {
		times = append(times, w.times...)
		result.Bytes += w.bytes
		for status, n := range w.byStatus {
			result.ByStatus[status] += n
		}
	}
	result.Requests = len(times)
	if len(times) == 0 {
		return result
	}
	slices.Sort(times)
	var sum time.Duration
	for _, t := range times {
		sum += t
	}
	result.Mean = sum / time.Duration(len(times))
	result.P50, result.P99, result.Max = quantile(times, 0.50), quantile(times, 0.99), times[len(times)-1]
	return result
}

// quantile is the smallest of the sorted values that a share of them do not exceed.
func quantile(sorted []time.Duration, share float64) time.Duration {
	at := int(share * float64(len(sorted)))
	if float64(at) == share*float64(len(sorted)) {
		at--
	}
	return sorted[min(max(at, 0), len(sorted)-1)]
}

func processCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
