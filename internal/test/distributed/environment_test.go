//go:build distributed && linux

package distributed

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// base and nodes are started once; each test has a database of its own on them.
var (
	base      *cluster.Base
	nodes     *cluster.Nodes
	databases atomic.Int64
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx := context.Background()
	var err error
	if base, err = cluster.Prepare(ctx, false); err != nil {
		fmt.Fprintln(os.Stderr, "preparing:", err)
		return 1
	}
	defer base.Close()
	if nodes, err = base.NewNodes(ctx, 2, small); err == nil {
		defer nodes.Stop()
		err = nodes.CreateDatabase(ctx, "probe")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "make distributed needs a PostgreSQL in PATH on which CREATE EXTENSION citus works:", err)
		return 1
	}
	return m.Run()
}

// small keeps each database small: it has every shard.
var small = map[string]string{"citus.shard_count": "8", "log_min_messages": "notice"}

// environment is a distributed database with three clients, of which east and west
// lie on different workers.
type environment struct {
	*cluster.Nodes
	name       string
	caller     *cluster.Caller
	east, west client
}

// client is one of the corpus, with its worker and a key with every scope.
type client struct {
	id, slug, key string
	worker        *cluster.Postgres
}

// newDatabase is a distributed database without records.
func newDatabase(t *testing.T, on *cluster.Nodes) *environment {
	t.Helper()
	e := &environment{Nodes: on, name: fmt.Sprintf("d%d", databases.Add(1)), caller: cluster.NewCaller(100)}
	require.NoError(t, on.CreateDatabase(t.Context(), e.name))
	t.Cleanup(func() {
		e.caller.Close()
		_ = on.DropDatabase(context.Background(), e.name)
	})
	e.run(t, "migrate", "--distribute")
	return e
}

func setup(t *testing.T) *environment {
	t.Helper()
	return setupOn(t, nodes)
}

func setupOn(t *testing.T, on *cluster.Nodes) *environment {
	t.Helper()
	e := newDatabase(t, on)
	var file strings.Builder
	options := corpus.Options{Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now()}
	for i := range 6 {
		options.Clients = append(options.Clients, corpus.ClientOptions{
			Slug: fmt.Sprintf("client-%d", i), Mode: corpus.ModeCanonical, Interviews: 120, Campaigns: 8, Synthesis: 10,
		})
	}
	_, err := corpus.Generate(&file, options)
	require.NoError(t, err)
	e.importText(t, file.String())
	e.place(t)
	return e
}

// place finds two clients on different workers and issues their keys.
func (e *environment) place(t *testing.T) {
	t.Helper()
	for i := range 6 {
		c := client{slug: fmt.Sprintf("client-%d", i)}
		e.query(t, &c.id, "SELECT c.id::text FROM clients AS c WHERE c.slug = $1", c.slug)
		c.worker = e.workerOf(t, c.id)
		switch {
		case e.east.id == "":
			e.east = c
		case e.west.id == "" && c.worker != e.east.worker:
			e.west = c
		}
	}
	if e.west.id == "" {
		t.Fatal("every client lies on one worker")
	}
	for _, c := range []*client{&e.east, &e.west} {
		c.key = e.issue(t, c.slug)
	}
}

func (e *environment) issue(t *testing.T, client string) string {
	t.Helper()
	conn := e.owner(t)
	issued, err := apikey.NewRegistry(conn).Issue(t.Context(), apikey.Request{Client: client, Name: "test", Scopes: auth.All()}, apikey.By{})
	require.NoError(t, err)
	return issued.Key
}

func (e *environment) workerOf(t *testing.T, client string) *cluster.Postgres {
	t.Helper()
	var port int
	e.query(t, &port, `SELECT s.nodeport FROM citus_shards AS s
		WHERE s.shardid = get_shard_id_for_distribution_column('clients', $1::uuid)`, client)
	for _, worker := range e.Workers {
		if worker.Port() == fmt.Sprint(port) {
			return worker
		}
	}
	t.Fatalf("no worker listens on %d", port)
	return nil
}

func (e *environment) ownerURL() string  { return e.Coordinator.URLOf(embedded.Owner, e.name) }
func (e *environment) serverURL() string { return e.Coordinator.URLOf(embedded.Login, e.name) }

// owner connects as the owner of the schema.
func (e *environment) owner(t *testing.T) *pgx.Conn {
	t.Helper()
	return dbtest.Connect(t, e.ownerURL())
}

// on connects to a machine as its administrator.
func (e *environment) on(t *testing.T, node *cluster.Postgres) *pgx.Conn {
	t.Helper()
	return dbtest.Connect(t, node.URLOf(embedded.Superuser, e.name))
}

// query reads one value as the owner.
func (e *environment) query(t *testing.T, into any, sql string, args ...any) {
	t.Helper()
	conn, err := postgres.ConnectAs(t.Context(), e.ownerURL())
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(into), sql)
}

// run runs a command of the program and returns what it printed.
func (e *environment) run(t *testing.T, args ...string) string {
	t.Helper()
	printed, err := base.Run(e.ownerURL(), "", args...)
	require.NoError(t, err)
	return printed
}

func (e *environment) importText(t *testing.T, file string) {
	t.Helper()
	_, err := base.Run(e.ownerURL(), file, "import", "-")
	require.NoError(t, err)
}

func (e *environment) serve(t *testing.T) *cluster.Server {
	t.Helper()
	return base.Serve(t, e.serverURL(), "DATABASE_OWNER_URL="+e.ownerURL(), "CLIENTINTEL_RESPONSE_VALIDATION=enforce", "CLIENTINTEL_STATEMENT_TIMEOUT=3s")
}

// reads are one request of every kind that reads a client's records, and what of the
// answer stays the same.
var reads = []string{
	"/interviews?limit=3", "/interviews?limit=3&status=completed", "/campaigns?limit=3", "/synthesis?limit=3",
	"/synthesis?type=home", "/synthesis?surface=portal&type=home", "/analytics/interviews",
	"/intelligence/search?q=e&limit=3", "/intelligence/search?q=delivery&limit=3", "/intelligence/search?q=zyzzyvas&limit=3",
}

// readsOf adds those that name a record of the client.
func (e *environment) readsOf(t *testing.T, c client) []string {
	t.Helper()
	var interview, campaign, lane, slug string
	e.query(t, &interview, "SELECT min(i.id::text) FROM usable_interviews AS i WHERE i.client_id = $1", c.id)
	e.query(t, &campaign, "SELECT min(i.campaign_id::text) FROM usable_interviews AS i WHERE i.client_id = $1", c.id)
	e.query(t, &lane, "SELECT min(l.id::text) FROM lanes AS l WHERE l.client_id = $1", c.id)
	e.query(t, &slug, "SELECT c.slug FROM campaigns AS c WHERE c.client_id = $1 AND c.id = $2::uuid", c.id, campaign)
	return append([]string{
		"/interviews/" + interview, "/interviews?campaign_id=" + campaign, "/analytics/interviews?campaign=" + slug,
		"/synthesis?lane_id=" + lane, "/synthesis?campaign_id=" + campaign,
		"/intelligence/search?q=the&campaign=" + slug,
	}, reads...)
}

// data is a response without the moment of reading.
func (e *environment) data(t *testing.T, s *cluster.Server, path, key string) string {
	t.Helper()
	a := e.caller.Get(t.Context(), s.URL, path, key)
	if a.Status != http.StatusOK {
		t.Fatalf("%s: status %d: %s %v; the log ends: %s", path, a.Status, a.Body, a.Err, s.Logs())
	}
	var body struct{ Data json.RawMessage }
	require.NoError(t, json.Unmarshal(a.Body, &body))
	return string(body.Data)
}
