//go:build partners

package connectors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// report is what one of the scripts made.
type report struct {
	Rows  []map[string]any `json:"rows"`
	Waits []float64        `json:"waits"`
}

// powerQuery runs one of the scripts with an address filled in, and whatever
// else a user may change: pairs of a text and what stands in its place.
func powerQuery(t *testing.T, query, address, key string, change []string, flags ...string) (found report, failure string) {
	t.Helper()
	files, err := filepath.Glob(offered + "powerquery/*.pq")
	if err != nil || len(files) != 3 {
		t.Fatalf("there are the scripts %v: %v", files, err)
	}
	change = append([]string{"https://clientintel.example.com", address}, change...)
	dir, unused := t.TempDir(), map[string]bool{}
	for i := 0; i < len(change); i += 2 {
		unused[change[i]] = true
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(source)
		for i := 0; i < len(change); i += 2 {
			if strings.Contains(text, change[i]) {
				text = strings.ReplaceAll(text, change[i], change[i+1])
				delete(unused, change[i])
			}
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(text), 0o600))
	}
	if len(unused) > 0 {
		t.Fatalf("no script has %v to change", unused)
	}
	args := slices.Concat(flags, []string{dir, query, "ClientIntelKey=" + key})
	stdout, stderr, exit := packages.Run(t, "powerquery/run.mjs", args...)
	if exit != 0 {
		return report{}, stderr
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &found), query, stdout)
	return found, ""
}

// all is every interview, in pages that are many.
var all = []string{`date_from = "2026-01-01"`, `date_from = "2000-01-01"`, `limit = "200"`, `limit = "40"`}

// What the scripts make of the lists is what the database holds, each row once,
// page by page and over a quota that is used up on the way.
func TestPowerQuery(t *testing.T) {
	srv, seed := partnerserver.Start(t, requests, window)
	want := held(t, seed)
	delete(want, "synthesis") // no script reads it
	for id, row := range want["campaigns"] {
		want["campaigns"][id] = row[:3]
	}
	key := srv.KeyFor(t, brand, auth.Default()...)
	got := tables{}
	for _, table := range []string{"interviews", "campaigns"} {
		before := waited(srv)
		found, failure := powerQuery(t, table, srv.URL, key, all)
		if failure != "" {
			t.Fatalf("%s: %s", table, failure)
		}
		if refused := waited(srv) - before; len(found.Waits) != refused {
			t.Errorf("%s: it was refused %d times and waited %v", table, refused, found.Waits)
		}
		got[table] = map[string][]any{}
		for _, row := range found.Rows {
			id := fmt.Sprint(row["id"])
			if got[table][id] != nil {
				t.Errorf("%s: %s is there twice", table, id)
			}
			var cells []any
			for _, column := range columns[table] {
				if cell, there := row[column]; there {
					cells = append(cells, sameMoment(cell))
				}
			}
			got[table][id] = cells
			if table == "interviews" && row["nps_group"] != npsGroup(row["nps_score"]) {
				t.Errorf("%s: a score of %v is in the group %v", id, row["nps_score"], row["nps_group"])
			}
		}
	}
	wantSame(t, "after a refresh", got, want)
	if waited(srv) == 0 {
		t.Error("it was never refused for its quota: nothing was shown")
	}
}

func npsGroup(score any) string {
	switch score, known := score.(float64); {
	case !known:
		return "unknown"
	case score >= 9:
		return "promoter"
	case score >= 7:
		return "passive"
	default:
		return "detractor"
	}
}

// Power Query waits for the hour of Retry-After and asks again. It would have
// its first answer from a cache if the script did not say that it tries again.
func TestPowerQuery_AnHourIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		change  []string
		asked   int32
		failure string
	}{
		"as it is":               {nil, 2, ""},
		"answered from a cache":  {[]string{"IsRetry = again", "IsRetry = false"}, 1, "Client Intelligence: Status 429: {"},
		"a status not announced": {[]string{"{400, 429, 503}", "{400, 503}"}, 1, "(429)"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if asked.Add(1) == 1 {
					w.Header().Set("Retry-After", "3600")
					w.WriteHeader(http.StatusTooManyRequests)
					fmt.Fprint(w, `{"error": "rate_limited", "code": "rate_limited"}`)
					return
				}
				fmt.Fprint(w, `{"data": [{"id": "one"}], "meta": {"has_more": false, "next_cursor": null}}`)
			}))
			t.Cleanup(service.Close)
			found, failure := powerQuery(t, "campaigns", service.URL, "cik_key", c.change, "--note-waits")
			if asked.Load() != c.asked || (failure == "") != (c.failure == "") || !strings.Contains(failure, c.failure) {
				t.Errorf("it asked %d times and said %q, want %d and %q", asked.Load(), failure, c.asked, c.failure)
			}
			row := []map[string]any{{"id": "one", "slug": nil, "display_name": nil, "launch_status": nil}}
			if c.failure == "" && (!reflect.DeepEqual(found.Rows, row) || !reflect.DeepEqual(found.Waits, []float64{3600})) {
				t.Errorf("it made %v and waited %v", found.Rows, found.Waits)
			}
		})
	}
}
