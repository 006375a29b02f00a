package guides_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// saveFiles puts the programs of the BI guide into a sandbox.
func (w *sandbox) saveFiles(t *testing.T) {
	t.Helper()
	blocks, _ := mustBlocks(t, biGuide, string(openapi.BIGuide("")))
	for _, b := range blocks {
		if b.file() == "" {
			continue
		}
		if err := w.write(b.file(), b.text); err != nil {
			t.Fatal(err)
		}
	}
}

// walkScript walks a list with the guide's client and prints what came, and how
// long it would have waited.
const walkScript = `import json, sys
import clientintel
waits = []
clientintel.time.sleep = waits.append
client = clientintel.Client(leave=int(sys.argv[1]))
said = {"rows": [], "status": 0, "code": ""}
try:
    for row in client.walk("/interviews", status="analyzed"):
        said["rows"].append(row["id"])
except clientintel.ApiError as refusal:
    said["status"], said["code"] = refusal.status, refusal.code
except Exception as broken:
    said["code"] = type(broken).__name__
print(json.dumps({**said, "waits": waits}))
`

type walked struct {
	Rows   []string
	Status int
	Code   string
	Waits  []int
}

// reply is what a stand-in for the service says to one request.
type reply struct {
	status    int
	header    map[string]string
	body      string
	remaining int  // 600 when zero
	torn      bool // the connection breaks in the middle of the body
}

func firstPage() reply {
	return reply{status: 200, body: `{"data": [{"id": "a"}, {"id": "b"}], "meta": {"has_more": true, "next_cursor": "next+page="}}`}
}

func lastPage() reply {
	return reply{status: 200, body: `{"data": [{"id": "c"}], "meta": {"has_more": false, "next_cursor": null}}`}
}

func refusalOf(status int, code string, header map[string]string) reply {
	return reply{status: status, header: header, body: fmt.Sprintf(`{"error": "no", "code": %q}`, code)}
}

func repeated(n int, r reply) []reply {
	all := make([]reply, n)
	for i := range all {
		all[i] = r
	}
	return all
}

// standIn answers requests with the replies in turn, and keeps their queries.
type standIn struct {
	mu      sync.Mutex
	replies []reply
	queries []string
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.queries = append(s.queries, r.URL.RawQuery)
	next := reply{status: http.StatusTeapot}
	if len(s.replies) > 0 {
		next, s.replies = s.replies[0], s.replies[1:]
	}
	s.mu.Unlock()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	remaining := next.remaining
	if remaining == 0 {
		remaining = 600
	}
	h := w.Header()
	h.Set("Date", now.Format(http.TimeFormat))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Unix()+42, 10))
	for name, value := range next.header {
		h.Set(name, value)
	}
	if next.torn {
		h.Set("Content-Length", strconv.Itoa(len(next.body)))
		_, _ = w.Write([]byte(next.body[:len(next.body)/2]))
		panic(http.ErrAbortHandler)
	}
	if next.status == 200 && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = zip.Write([]byte(next.body))
		_ = zip.Close()
		return
	}
	w.WriteHeader(next.status)
	_, _ = w.Write([]byte(next.body))
}

func TestClient_WaitsAndTriesAgainAsTheGuideSays(t *testing.T) {
	t.Parallel()
	torn := lastPage()
	torn.torn = true
	nearlyUsedUp, last := firstPage(), firstPage()
	nearlyUsedUp.remaining, last.remaining = 101, 1
	all := []string{"a", "b", "c"}
	for name, c := range map[string]struct {
		replies []reply
		leave   int
		want    walked
	}{
		"a whole walk": {
			replies: []reply{firstPage(), lastPage()},
			want:    walked{Rows: all},
		},
		"a 429 is waited out in full, however often": {
			replies: []reply{
				firstPage(), refusalOf(429, "rate_limited", map[string]string{"Retry-After": "3571"}),
				refusalOf(429, "rate_limited", map[string]string{"Retry-After": "1"}), lastPage(),
			},
			want: walked{Rows: all, Waits: []int{3571, 1}},
		},
		"a 503 is tried again after longer and longer waits": {
			replies: append([]reply{firstPage()}, append(repeated(7, refusalOf(503, "measurement_unavailable", nil)), lastPage())...),
			want:    walked{Rows: all, Waits: []int{5, 10, 20, 40, 80, 160, 300}},
		},
		"an eighth 503 in a row ends the walk": {
			replies: append([]reply{firstPage()}, repeated(8, refusalOf(503, "measurement_unavailable", nil))...),
			want: walked{
				Rows: all[:2], Status: 503, Code: "measurement_unavailable", Waits: []int{5, 10, 20, 40, 80, 160, 300},
			},
		},
		"a 503 says how long itself": {
			replies: []reply{refusalOf(503, "service_unavailable", map[string]string{"Retry-After": "7"}), firstPage(), lastPage()},
			want:    walked{Rows: all, Waits: []int{7}},
		},
		"a proxy's 502 is tried again": {
			replies: []reply{{status: 502, body: "<html>"}, firstPage(), lastPage()},
			want:    walked{Rows: all, Waits: []int{5}},
		},
		"half an answer is none": {
			replies: []reply{firstPage(), torn, lastPage()},
			want:    walked{Rows: all, Waits: []int{5}},
		},
		"a 400 is final": {replies: []reply{refusalOf(400, "invalid_cursor", nil)}, want: walked{Status: 400, Code: "invalid_cursor"}},
		"a 401 is final": {replies: []reply{refusalOf(401, "inactive_api_key", nil)}, want: walked{Status: 401, Code: "inactive_api_key"}},
		"a 403 is final": {replies: []reply{refusalOf(403, "insufficient_scope", nil)}, want: walked{Status: 403, Code: "insufficient_scope"}},
		"a 404 is final": {replies: []reply{refusalOf(404, "not_found", nil)}, want: walked{Status: 404, Code: "not_found"}},
		"a 500 is final": {replies: []reply{refusalOf(500, "internal_error", nil)}, want: walked{Status: 500, Code: "internal_error"}},
		"after the last request it waits for the quota": {
			replies: []reply{last, lastPage()},
			want:    walked{Rows: all, Waits: []int{42}},
		},
		"it leaves requests to others": {
			replies: []reply{nearlyUsedUp, lastPage()}, leave: 100,
			want: walked{Rows: all, Waits: []int{42}},
		},
		"it leaves no more than it was told to": {
			replies: []reply{nearlyUsedUp, lastPage()}, leave: 99,
			want: walked{Rows: all},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &standIn{replies: c.replies}
			listening := httptest.NewServer(service)
			defer listening.Close()
			listening.Config.ErrorLog = nil
			w := newSandbox(t, listening.URL, "cik_anything")
			w.saveFiles(t)
			var got walked
			if err := json.Unmarshal([]byte(w.runPython(t, walkScript, strconv.Itoa(c.leave))), &got); err != nil {
				t.Fatal(err)
			}
			same := slices.Equal(got.Rows, c.want.Rows) && slices.Equal(got.Waits, c.want.Waits) &&
				got.Status == c.want.Status && got.Code == c.want.Code
			if !same {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			if len(service.replies) > 0 {
				t.Errorf("%d replies were not asked for", len(service.replies))
			}
			for i, query := range service.queries {
				if want := "limit=200&status=analyzed"; query != want && query != want+"&starting_after=next%2Bpage%3D" {
					t.Errorf("request %d asks for %q", i+1, query)
				}
			}
		})
	}
}

// quotaScript walks with a real key whose quota is used up. Sleeping tells the
// test, which moves the clock on by exactly as long.
const quotaScript = `import sys, urllib.request
import clientintel

def sleep(seconds):
    urllib.request.urlopen(sys.argv[1] + "?seconds=" + str(seconds)).close()

clientintel.time.sleep = sleep
print(len(list(clientintel.Client(leave=int(sys.argv[2])).pages("/interviews", limit=50))), "pages")
`

// The hour is the service's own: after waiting as long as the headers say, and
// no longer, the walk goes on where it was. One reader looks ahead and waits for
// the quota; another runs into the 429.
func TestClient_AWalkGoesThroughAFullQuota(t *testing.T) {
	t.Parallel()
	srv, seed := startDemo(t)
	for name, leave := range map[string]string{"looking ahead": "0", "until refused": "-1"} {
		issued := srv.Issue(t, keyRequest("brightlarder", auth.ReadInterviewsMetadata))
		srv.Get(t, prefix+"/interviews?limit=1", issued.Key).WantStatus(t, 200)
		// 598 more, all of them half an hour ago: the walk has one request left.
		seed.Exec(t, `WITH moved AS (
				UPDATE request_log SET at = at - interval '30 minutes' WHERE key_id = $1 RETURNING client_id, at
			)
			INSERT INTO request_log (client_id, key_id, at, seq, route, status)
			SELECT m.client_id, $1, m.at + n * interval '1 millisecond', n, 'listInterviews', 200
			FROM moved AS m, generate_series(2, 599) AS n`, issued.ID)

		var slept []int
		clock := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			seconds, _ := strconv.Atoi(r.URL.Query().Get("seconds"))
			slept = append(slept, seconds)
			seed.Exec(t, "UPDATE request_log SET at = at - make_interval(secs => $2) WHERE key_id = $1", issued.ID, seconds)
		}))
		w := newSandbox(t, srv.URL, issued.Key)
		w.saveFiles(t)
		if got := w.runPython(t, quotaScript, clock.URL, leave); got != "4 pages\n" {
			t.Errorf("%s: the walk printed %q, want 4 pages", name, got)
		}
		clock.Close()
		// The rows are half an hour old, less what the test itself has taken. No
		// default of the client is that long.
		if len(slept) == 0 || slept[0] < 600 || slept[0] > 1802 {
			t.Errorf("%s: the walk slept %v s, want about half an hour first", name, slept)
		}
	}
}

func keyRequest(client string, scopes ...auth.Scope) apikey.Request {
	return apikey.Request{Client: client, Name: "a guide's reader", Scopes: scopes}
}
