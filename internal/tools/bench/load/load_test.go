package load

import (
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
		Address: strings.TrimPrefix(server.URL, "http://"), Connections: 3, Duration: 100 * time.Millisecond,
		Clients: []Client{{[]string{"a1", "a2"}, []string{"/a"}}, {[]string{"b1"}, []string{"/b", "/b?x"}}},
	}
}

// Clients and their keys are used in turn over all connections, each for its own paths.
func TestRun_ClientsTakeTurns(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	uses := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		uses[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+r.URL.Path]++
		fmt.Fprint(w, `{"count":50}`)
	}))
	defer server.Close()
	job := jobFor(server)
	job.Contains = `"count":50`
	result := Run(t.Context(), job)
	if result.Fault != "" || result.Requests == 0 || result.P50 <= 0 || result.P50 > result.P99 {
		t.Fatalf("the result is %+v", result)
	}
	one, other, both := uses["a1/a"], uses["a2/a"], uses["b1/b"]
	if one+other+both != result.Requests || one-other > 1 || other > one || one+other-both > 1 || both > one+other {
		t.Errorf("%d requests: the keys were used %v times", result.Requests, uses)
	}
}

// A wrong response ends the job, and the result says what was wrong.
func TestRun_WrongResponsesAreFaults(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusInternalServerError)
		}
		fmt.Fprint(w, `{"count":49}`)
	}))
	defer server.Close()
	for want, change := range map[string]func(*Job){
		"status 500":                  func(j *Job) { j.Post = "/mcp" },
		`does not contain "count":50`: func(j *Job) { j.Contains = `"count":50` },
		"connection refused":          func(j *Job) { j.Address = "127.0.0.1:1" },
	} {
		job := jobFor(server)
		change(&job)
		if result := Run(t.Context(), job); !strings.Contains(result.Fault, want) {
			t.Errorf("the fault is %q, want %q", result.Fault, want)
		}
	}
}
