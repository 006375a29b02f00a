//go:build linux && soak

package resilience

import (
	"context"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

var (
	length = flag.Duration("soak", 10*time.Minute, "how long TestSoak goes on")
	seed   = flag.Uint64("seed", uint64(time.Now().Unix()), "what TestSoak does when; the same seed tries the same")
)

// The servers by what happens to them: one shows what leaks, one is killed and restarted,
// one is behind a network that fails.
const undisturbed, restarted, remote = 0, 1, 2

// Three servers under load, round after round: records are replaced, a fault comes and goes,
// and callers give up. After each round every server's lists, totals and charts are the
// tables', and the quota is the log's; in the end nothing has leaked.
func TestSoak(t *testing.T) {
	t.Logf("-seed %d", *seed)
	random := rand.New(rand.NewPCG(*seed, 1))
	w := setup(t, map[string]string{"autovacuum": "on", "max_connections": "100", "shared_buffers": "128MB"})
	network, err := cluster.NewProxy(w.Postgres)
	require.NoError(t, err)
	t.Cleanup(network.Close)
	var other string
	require.NoError(t, dbtest.Connect(t, w.URL(embedded.Superuser)).QueryRow(t.Context(), "SELECT id::text FROM clients WHERE slug = 'globex'").Scan(&other))
	var servers [3]atomic.Pointer[cluster.Server]
	for i, url := range []string{w.OwnerURL(), w.OwnerURL(), network.URL()} {
		servers[i].Store(w.serve(t, url))
	}
	restart := func(how syscall.Signal) func(*testing.T, *environment, *cluster.Proxy) func() error {
		return func(*testing.T, *environment, *cluster.Proxy) func() error { // it outlives the round's test
			old := servers[restarted].Load()
			old.Signal(how)
			if inTime, _ := old.Wait(30 * time.Second); !inTime {
				t.Error("a server asked to stop still runs")
			}
			return func() error { servers[restarted].Store(w.serve(t, w.OwnerURL())); return nil }
		}
	}
	faults := maps.Clone(outages)
	faults["a server is killed"] = outage{strike: restart(syscall.SIGKILL)}
	faults["a server is restarted"] = outage{strike: restart(syscall.SIGTERM)}
	maps.DeleteFunc(faults, func(_ string, f outage) bool { return f.settings != nil })
	names := slices.Sorted(maps.Keys(faults))

	round := func(t *testing.T, fault string) {
		w.Exec(t, "UPDATE api_keys SET revoked_at = now() WHERE revoked_at IS NULL") // a client has 500 at most
		keys, left := w.keys(t, "acme", 9), w.keys(t, "acme", 3)
		l := w.callers(t, keys, func(i int) *cluster.Server { return servers[i%len(servers)].Load() }, 0)
		var others sync.WaitGroup
		for range 3 {
			of := random.Uint64()
			others.Go(func() { w.replaceRecords(t, rand.New(rand.NewPCG(*seed, of)), fault != "") })
		}
		others.Go(func() { w.leave(t, left, other, servers[undisturbed].Load()) })
		if fault != "" {
			end := faults[fault].strike(t, w, network)
			time.Sleep(time.Duration(1000+random.IntN(5000)) * time.Millisecond)
			require.NoError(t, end())
		}
		others.Wait()
		fresh := w.Key(t, "globex")
		for i := range servers {
			w.awaitReady(t, servers[i].Load(), fresh)
		}
		l.end()
		if !strings.HasPrefix(fault, "a server") { // its connections break
			l.wantValidResponses(t)
		}
		w.wantExactQuota(t, servers[undisturbed].Load(), keys[0], l.answers[keys[0]])
		for i := range servers {
			w.wantCorrectCounts(t, servers[i].Load())
			w.wantTables(t, servers[i].Load())
		}
	}
	round(t, "")
	before := w.resources(t, servers[undisturbed].Load())
	rounds := 0
	for began := time.Now(); time.Since(began) < *length && !t.Failed(); rounds++ {
		fault := names[random.IntN(len(names))]
		t.Run(fault, func(t *testing.T) { round(t, fault) })
	}
	after := w.resources(t, servers[undisturbed].Load())
	t.Logf("%d rounds; %v, before %v", rounds, after, before)
	// Pools open connections as they need them, each with a goroutine and a file, and the
	// garbage collector takes its time.
	for what, slack := range map[string]float64{"go_goroutines": 24, "process_open_fds": 24, "process_resident_memory_bytes": 48e6 + before["process_resident_memory_bytes"]/2} {
		if after[what] > before[what]+slack {
			t.Errorf("%s: %v, before %v", what, after[what], before[what])
		}
	}
	if open := w.Number(t, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'clientintel %' AND state <> 'idle'"); open > 0 {
		t.Errorf("%d connections of servers at rest are at work", open)
	}
}

// replaceRecords replaces a client's records by others: interviews are added, changed and
// removed, and campaigns go live and end. Where it may fail, it is killed now and then, and
// fails while the database is away.
func (w *environment) replaceRecords(t *testing.T, random *rand.Rand, mayFail bool) {
	client, from := []string{"acme", "globex"}[random.IntN(2)], time.Now().AddDate(-1, 0, -random.IntN(100))
	command, err := base.Start(w.OwnerURL(), "import", "-", "--replace-client", client, "--max-removed", "100%")
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = corpus.Generate(command.Stdin, corpus.Options{Seed: 1, From: from, To: from.AddDate(1, 0, 0), Clients: []corpus.ClientOptions{{
		Slug: client, Mode: corpus.ModeCanonical, Interviews: 500 + random.IntN(500), Campaigns: 3 + random.IntN(6),
		EqualCreatedAt: random.IntN(400), UsableShare: 0.3 + 0.6*random.Float64(),
	}}})
	_ = command.Stdin.Close()
	if mayFail && random.IntN(5) == 0 {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		command.Signal(syscall.SIGKILL)
	}
	if _, stderr, err := command.Output(time.Minute); err != nil && !mayFail {
		t.Errorf("an import: %v: %s", err, stderr)
	}
}

// leave gives up requests within milliseconds. What comes is the key's client's alone: a
// connection or a buffer of a request that was given up may be used again.
func (w *environment) leave(t *testing.T, keys []string, other string, s *cluster.Server) {
	for i := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%8)*time.Millisecond)
		a := w.caller.Get(ctx, s.URL, paths()[i%len(paths())], keys[i%len(keys)])
		cancel()
		if a.Status == 200 && strings.Contains(string(a.Body), other) {
			t.Error("a response names another client")
		}
	}
}

// usable is the usable rule, written again from its description, so that the service's
// own view is not compared with itself.
const usable = `SELECT coalesce(string_agg(i.id::text, ' ' ORDER BY i.created_at DESC, i.id), '') FROM interviews AS i
	JOIN clients AS c ON c.id = i.client_id
	LEFT JOIN campaigns AS g ON g.id = i.campaign_id AND g.client_id = i.client_id
	WHERE c.slug = $1 AND i.status IN ('completed', 'analyzed') AND NOT i.is_test
		AND coalesce(i.duration_seconds, 60) >= 60 AND coalesce(i.engagement, '') <> 'disengaged'
		AND i.quality = 'passed' AND i.reportable AND i.client_safe
		AND (i.campaign_id IS NULL OR g.launch_status = 'live' AND g.active IS NOT FALSE)`

// wantTables compares each client's walk with the tables.
func (w *environment) wantTables(t *testing.T, s *cluster.Server) {
	t.Helper()
	for _, client := range []string{"acme", "globex"} {
		var want string
		require.NoError(t, dbtest.Connect(t, w.URL(embedded.Superuser)).QueryRow(t.Context(), usable, client).Scan(&want))
		pages, err := w.caller.Walk(t.Context(), s.URL, "/interviews?limit=173", w.Key(t, client))
		require.NoError(t, err)
		var got []string
		for _, page := range pages {
			var rows []struct{ ID string }
			require.NoError(t, json.Unmarshal([]byte(page), &rows))
			for _, row := range rows {
				got = append(got, row.ID)
			}
		}
		check.Equal(t, strings.Join(got, " "), want, client, len(got), len(strings.Fields(want)))
	}
}

// resources are what a server has at rest.
func (w *environment) resources(t *testing.T, s *cluster.Server) map[string]float64 {
	t.Helper()
	w.caller.Close() // its idle connections
	time.Sleep(5 * time.Second)
	m, err := s.Metrics(t.Context())
	require.NoError(t, err)
	maps.DeleteFunc(m, func(name string, _ float64) bool {
		return name != "go_goroutines" && name != "process_open_fds" && name != "process_resident_memory_bytes"
	})
	return m
}
