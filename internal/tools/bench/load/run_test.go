package load

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

func jobFor(server *httptest.Server) Job {
	return Job{
		Targets: []string{strings.TrimPrefix(server.URL, "http://")}, Connections: 3, Duration: 100 * time.Millisecond,
		Keys: []string{"a", "b", "c"}, Paths: []string{"/one", "/two"}, Statuses: []int{200, 429},
	}
}

// Keys are used in turn over all connections, from the job's first key on.
func TestRun_KeysTakeTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	uses, paths := map[string]int{}, map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		uses[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]++
		paths[r.URL.Path]++
		if len(paths) == 2 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
		fmt.Fprint(w, `{"count":50}`)
	}))
	defer server.Close()
	job := jobFor(server)
	job.FirstKey, job.Contains, job.MinBytes = 1, `"count":50`, 12
	result, err := Run(context.Background(), job)
	if err != nil || result.Fault != "" {
		t.Fatalf("the job failed: %v, %s", err, result.Fault)
	}
	least, most := min(uses["a"], uses["b"], uses["c"]), max(uses["a"], uses["b"], uses["c"])
	if len(uses) != 3 || most-least > 1 || uses["b"] != most {
		t.Errorf("the keys were used %v times: want the same, or one more, b being the first", uses)
	}
	if sum := uses["a"] + uses["b"] + uses["c"]; result.Requests != sum || result.ByStatus[200]+result.ByStatus[429] != sum {
		t.Errorf("%d requests came, and the result is %+v", sum, result)
	}
	if result.Bytes != int64(12*result.Requests) || result.P50 <= 0 || result.P50 > result.P99 || result.P99 > result.Max {
		t.Errorf("the result is %+v", result)
	}
}

// Whatever is wrong with a response ends the job, and the result says what.
func TestRun_WrongAnswersAreFaults(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(w, `{"count":49}`)
	}))
	defer server.Close()
	for want, change := range map[string]func(*Job){
		"status 500":                            func(j *Job) { j.Paths = []string{"/broken"} },
		"12 bytes, want at least 13":            func(j *Job) { j.MinBytes = 13 },
		`the response does not hold "count":50`: func(j *Job) { j.Contains = `"count":50` },
	} {
		job := jobFor(server)
		change(&job)
		result, err := Run(context.Background(), job)
		if err != nil || !strings.Contains(result.Fault, want) {
			t.Errorf("the fault is %q (%v), want %q", result.Fault, err, want)
		}
	}
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	var hundred []time.Duration
	for i := range 100 {
		hundred = append(hundred, time.Duration(i+1))
	}
	for _, c := range []struct {
		of    []time.Duration
		share float64
		want  time.Duration
	}{
		{hundred, 0.50, 50}, {hundred, 0.99, 99}, {hundred[:10], 0.99, 10}, {hundred[:1], 0.5, 1}, {hundred[:3], 0.5, 2}, {hundred, 0, 1},
	} {
		if got := quantile(c.of, c.share); got != c.want {
			t.Errorf("%g of %d values: %d, want %d", c.share, len(c.of), got, c.want)
		}
	}
}
