package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// nights is the page's example: a source of ten brands, the page's configuration and
// queries, and a database that is synced.
type nights struct {
	source, target *dbtest.Database
	dir            string
	env            map[string]string
}

func startNights(t *testing.T) *nights {
	t.Helper()
	return startNightsOf(t, 10, 100)
}

func startNightsOf(t *testing.T, brands, interviews int) *nights {
	t.Helper()
	page, err := os.ReadFile("../../docs/sync.md")
	require.NoError(t, err)
	blocks := func(language string) (found []string) {
		for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)\n```").FindAllStringSubmatch(string(page), -1) {
			found = append(found, m[1])
		}
		return found
	}
	sql, config := blocks("sql"), blocks("yaml")
	if len(sql) != 4 || len(config) != 1 {
		t.Fatalf("the page has %d blocks of SQL and %d of YAML, want 4 and 1", len(sql), len(config))
	}
	n := &nights{source: dbtest.New(t), target: dbtest.New(t), dir: t.TempDir()}
	// A byte order mark, and an end of a statement with a comment, are no part of a query.
	n.write(t, "clients.sql", "\ufeff"+sql[1]+"; -- those that are there\n")
	n.write(t, "campaigns.sql", sql[2])
	n.write(t, "interviews.sql", sql[3])
	n.write(t, "nightly.yaml", config[0])
	n.source.Exec(t, `CREATE SCHEMA production; SET search_path = production;`+sql[0]+fmt.Sprintf(`
		INSERT INTO brands SELECT b, 'brand-' || b, 'Brand ' || b FROM generate_series(1, %[1]d) AS b;
		INSERT INTO programs SELECT b * 100 + p, b, 'program-' || p, 'Program ' || p, CASE p WHEN 6 THEN 'closed' ELSE 'running' END, '2026-01-01'
		FROM generate_series(1, %[1]d) AS b, generate_series(1, 6) AS p;
		INSERT INTO conversations
		SELECT i, 1 + i %% %[1]d, (1 + i %% %[1]d) * 100 + 1 + i / %[1]d %% 6, 'Person ' || i, 'p' || i || '@example.com', '2026-11-24T00:00:00Z', 100, i %% 11,
			'[{"text": "hi"}]', '{"best_quote": "one"}', 'completed', true, NULL
		FROM generate_series(%[1]d, %[1]d * (%[2]d + 1) - 1) AS i;
		GRANT USAGE ON SCHEMA production TO PUBLIC;
		GRANT SELECT ON ALL TABLES IN SCHEMA production TO PUBLIC`, brands, interviews))
	url := n.source.OwnerURL + map[bool]string{true: "&", false: "?"}[strings.Contains(n.source.OwnerURL, "?")] + "search_path=production&default_query_exec_mode=simple_protocol"
	n.env = map[string]string{"DATABASE_URL": n.target.OwnerURL, "SOURCE_URL": url}
	return n
}

func (n *nights) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(n.dir, name), []byte(text), 0o600))
}

func (n *nights) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(n.dir, name))
	require.NoError(t, err)
	return string(text)
}

// sync runs a night, and returns what it said by client.
func (n *nights) sync(t *testing.T, wantCode int, args ...string) map[string]string {
	t.Helper()
	got := command(t, n.env, "", append([]string{"sync", filepath.Join(n.dir, "nightly.yaml")}, args...)...)
	check.Equal(t, got.code, wantCode, "exit code", got.stderr)
	said := map[string]string{}
	for _, line := range strings.Split(got.stderr, "\n") {
		if client, text, found := strings.Cut(line, ": "); found {
			said[client] += text + "\n"
		}
	}
	return said
}

func (n *nights) change(t *testing.T, sql string) {
	t.Helper()
	n.source.Exec(t, "SET search_path = production; "+sql)
}

// holds compares how many interviews each brand has.
func (n *nights) holds(t *testing.T, want string) {
	t.Helper()
	got := dbtest.Value[string](t, n.target, `SELECT string_agg(coalesce(i.n, 0)::text, ' ' ORDER BY length(c.slug), c.slug)
		FROM clients AS c
		LEFT JOIN (SELECT client_id, count(*) AS n FROM interviews GROUP BY client_id) AS i ON i.client_id = c.id`)
	check.Equal(t, got, want, "the brands' interviews")
}

// A night with a withdrawal, a moved conversation, broken rows, a brand that loses too
// much and one that ended: each brand is as the source has it, or as it was, and says so.
func TestSync_NightsOfTenBrands(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	said := n.sync(t, exitDone, "--dry-run")
	check.Contains(t, said["brand-3"], "interview 100 added", "the dry run")
	var clients int
	if n.target.Query(t, &clients, "SELECT (SELECT count(*) FROM clients) + (SELECT count(*) FROM imports)"); clients != 0 {
		t.Fatal("the dry run wrote something")
	}
	n.sync(t, exitDone)
	n.holds(t, "100 100 100 100 100 100 100 100 100 100")
	said = n.sync(t, exitDone)
	if want := "client 0 added, 0 changed, 1 unchanged; campaign 0 added, 0 changed, 6 unchanged; interview 0 added, 0 changed, 100 unchanged\n"; said["brand-3"] != want {
		t.Errorf("an unchanged night: %q, want %q", said["brand-3"], want)
	}
	// Records of kinds that are not synced stay; see below for those that others refer to.
	n.target.Exec(t, `INSERT INTO lanes (client_id, id, slug, visible) SELECT id, id, 'l', true FROM clients`)

	n.change(t, `
		UPDATE conversations SET withdrawn_at = now() WHERE id IN (20, 30);           -- brand 1
		UPDATE conversations SET state = NULL WHERE id = 21;                          -- brand 2, a bad row
		UPDATE conversations SET state = NULL WHERE id IN (22, 32);                   -- brand 3, too many
		UPDATE conversations SET brand_id = 5, program_id = 501 WHERE id = 23;        -- moved from 4 to 5
		UPDATE conversations SET program_id = 7777 WHERE id = 25;                     -- brand 6, a dangling campaign
		DELETE FROM conversations WHERE brand_id = 7;                                 -- all of it
		DELETE FROM conversations WHERE brand_id = 8 AND id < 130;                    -- more than a tenth
		UPDATE brands SET deleted_at = now() WHERE id = 9`)
	said = n.sync(t, exitFailed)
	n.holds(t, "98 99 100 99 100 99 100 100 100 100")
	id := "md5('conversation' || %d)::uuid::text"
	for client, want := range map[string]string{
		"brand-1": "interview 0 added, 0 changed, 98 unchanged, 2 removed",
		"brand-2": "interview 0 added, 0 changed, 99 unchanged, 1 removed, 1 set aside",
		"brand-3": "failed, and keeps what it had: interview ",
		"brand-4": "99 unchanged, 1 removed",
		"brand-5": "100 unchanged, 1 set aside",
		"brand-6": "99 unchanged, 1 removed, 1 set aside",
		"brand-7": "100 of 100 records of kind interview",
		"brand-8": "12 of 100 records of kind interview",
		"brand-9": "the source lists it no more",
	} {
		check.Contains(t, said[client], want, client)
	}
	check.Contains(t, said["clientintel"], "3 of 9 clients were not synced", "in the end")

	// Each bad row is told with its record; what is wrong, never what people said.
	rejects := n.read(t, "rejects.ndjson")
	moved := dbtest.Value[string](t, n.source, "SELECT "+fmt.Sprintf(id, 23))
	for _, want := range []string{`"client":"brand-2"`, `"field":"interview.status"`, `"id":"` + moved + `"`, "has no campaign"} {
		check.Contains(t, rejects, want, "the rejects")
	}
	if strings.Contains(rejects, "Person") || strings.Count(rejects, "\n") != 5 {
		t.Errorf("the rejects: %s", rejects)
	}

	// What failed is noted, and shown beside the last success.
	var noted []struct {
		Slug        string
		Error       *string
		LastSuccess *time.Time `json:"last_success"`
	}
	if decoded(t, n.env, &noted, "sync", "status"); len(noted) != 10 {
		t.Fatalf("sync status: %+v", noted)
	}
	for _, c := range noted {
		if failed := slices.Contains([]string{"brand-3", "brand-7", "brand-8"}, c.Slug); (c.Error != nil) != failed || c.LastSuccess == nil {
			t.Errorf("%s: %+v", c.Slug, c)
		}
	}
	var late int
	// A client that never came to be, and is not tried any more, is not late.
	n.target.Exec(t, "INSERT INTO imports (client_id, command, started_at, finished_at) VALUES (gen_random_uuid(), 'sync', now() - interval '27 hours', NULL)")
	n.target.Exec(t, "UPDATE imports SET finished_at = finished_at - interval '27 hours', started_at = started_at - interval '27 hours' WHERE client_id = (SELECT id FROM clients WHERE slug = 'brand-7')")
	n.target.Query(t, &late, "SELECT late_clients FROM read_sync_health()")
	check.Equal(t, late, 1, "late clients")

	// The operator releases the moved id, and asks for all of brand 7.
	release := []string{"clients", "release", "brand-4", "interview", moved}
	done(t, n.env, "", release...)
	if got := command(t, n.env, "", append([]string{"clients", "release", "brand-5", "interview"}, moved)...); got.code != exitFailed {
		t.Errorf("releasing what is another's: %+v", got)
	}
	n.write(t, "nightly.yaml", strings.Replace(n.read(t, "nightly.yaml"), "{interview: 30%}", "{interview: 100%}", 1))
	n.sync(t, exitDone, "--client", "brand-7")
	n.sync(t, exitDone, "--client", "brand-5")
	n.holds(t, "98 99 100 99 101 99 0 100 100 100")
	if got := command(t, n.env, "", release...); got.code != exitFailed {
		t.Errorf("releasing what another has: %+v", got)
	}
	if n.target.Query(t, &clients, "SELECT count(*) FROM lanes"); clients != 10 {
		t.Errorf("%d lanes are left of 10, which are not synced", clients)
	}
}

// A night on which nothing changed leaves every row of the clients where it is. With BRANDS
// and INTERVIEWS (of each) it is alone on its server: what it took and wrote is logged.
func TestSync_AnUnchangedNightWritesNextToNothing(t *testing.T) {
	t.Parallel()
	brands, _ := strconv.Atoi(cmp.Or(os.Getenv("BRANDS"), "3"))
	interviews, _ := strconv.Atoi(cmp.Or(os.Getenv("INTERVIEWS"), "100"))
	n := startNightsOf(t, brands, interviews)
	n.sync(t, exitDone)
	rows := func() (places string) {
		n.target.Query(t, &places, `SELECT md5(string_agg(r.of || r.ctid || ' ' || r.xmin, ',' ORDER BY r.of, r.ctid)) FROM (
			SELECT 'client' AS of, ctid, xmin FROM clients UNION ALL SELECT 'campaign', ctid, xmin FROM campaigns
			UNION ALL SELECT 'interview', ctid, xmin FROM interviews UNION ALL SELECT 'search', ctid, xmin FROM search_documents
			UNION ALL SELECT 'owner', ctid, xmin FROM record_owners UNION ALL SELECT 'state', ctid, xmin FROM measurement_states) AS r`)
		return places
	}
	n.sync(t, exitDone) // what the first left to do, such as hint bits
	before, began := rows(), time.Now()
	written := dbtest.Value[int64](t, n.target, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
	n.sync(t, exitDone)
	took := time.Since(began)
	n.target.Query(t, &written, "SELECT (pg_current_wal_insert_lsn() - '0/0' - $1)::bigint", written)
	check.Equal(t, rows(), before, "the places of rows")
	t.Logf("%d brands of %d interviews, unchanged: %v, %d bytes of WAL", brands, interviews, took.Round(time.Millisecond), written)
	if alone := os.Getenv("BRANDS") != ""; alone && written > int64(brands)*300_000 {
		t.Errorf("%d bytes of WAL for %d brands", written, brands)
	}
}

// A second sync waits for whoever is at work on a client, says for whom, and not for ever.
func TestSync_TellsForWhomItWaits(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	n.sync(t, exitDone)
	holder := dbtest.Connect(t, n.target.OwnerURL)
	dbtest.Exec(t, holder, `SET application_name = 'clientintel import'; BEGIN;
		SELECT pg_advisory_xact_lock(hashtextextended('clientintel import', get_byte(uuid_send(id), 15))) FROM clients WHERE slug = 'brand-2'`)
	n.write(t, "nightly.yaml", strings.Replace(n.read(t, "nightly.yaml"), "max_wait: 10m", "max_wait: 300ms", 1))
	said := n.sync(t, exitFailed)
	who := fmt.Sprintf("clientintel import, process %d of ", holder.PgConn().PID())
	if !strings.HasPrefix(said["brand-2"], "waiting for "+who) || !strings.Contains(said["brand-2"], "nothing was imported: waiting for other imports: waited 300ms for "+who) {
		t.Errorf("brand-2: %q", said["brand-2"])
	}
	check.Contains(t, said["brand-3"], "100 unchanged", "brand-3")
}

// hold takes a lock until release.
func hold(t *testing.T, d *dbtest.Database, lock string) (release func()) {
	t.Helper()
	conn := dbtest.Connect(t, d.SuperuserURL)
	dbtest.Exec(t, conn, "BEGIN; "+lock)
	return func() { _ = conn.Close(t.Context()) }
}

// Wherever a night ends, each client has what it had or what the source has, and the next
// night does the rest.
func TestSync_EndsAtEachStage(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	n.sync(t, exitDone)
	n.change(t, "UPDATE conversations SET withdrawn_at = now() WHERE id BETWEEN 20 AND 29") // one of each brand
	const before = "100 100 100 100 100 100 100 100 100 100"
	const ofBrand4 = `SELECT pg_advisory_xact_lock(hashtextextended('clientintel import', get_byte(uuid_send(id), 15))) FROM clients WHERE slug = 'brand-4'`
	kill := func(p *os.Process) { _ = p.Kill() }
	for _, stage := range []struct {
		name   string
		of     *dbtest.Database
		lock   string
		end    func(*os.Process)
		leaves string
		noted  string // of brand 4
	}{
		{"the list of clients", n.source, "LOCK TABLE production.brands", kill, before, ""},
		{"a client's records", n.source, "LOCK TABLE production.conversations", kill, before, ""},
		{"all of a client is written", n.target, "LOCK TABLE imports", kill, before, ""},
		{"it waits", n.target, ofBrand4, func(p *os.Process) { _ = p.Signal(syscall.SIGTERM) }, "99 99 99 100 100 100 100 100 100 100", "interrupted"},
		{"the connection is lost", n.target, ofBrand4, func(*os.Process) {
			n.target.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'clientintel sync'")
		}, "99 99 99 100 99 99 99 99 99 99", "terminating connection"},
	} {
		release := hold(t, stage.of, stage.lock)
		var said bytes.Buffer
		night := exec.CommandContext(t.Context(), os.Args[0], "sync", filepath.Join(n.dir, "nightly.yaml"))
		night.Env, night.Stderr = append(append(os.Environ(), asProgram+"=1"), environOf(n.env)...), &said
		require.NoError(t, night.Start())
		for waiting := 0; waiting == 0; time.Sleep(10 * time.Millisecond) {
			stage.of.Query(t, &waiting, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
		}
		stage.end(night.Process)
		if strings.HasPrefix(stage.name, "the conn") {
			release()
		}
		if err := night.Wait(); err == nil {
			t.Errorf("%s: exit code 0: %s", stage.name, &said)
		}
		release()
		n.holds(t, stage.leaves)
		noted := dbtest.Value[string](t, n.target, "SELECT coalesce((SELECT error FROM imports WHERE client_id = (SELECT id FROM clients WHERE slug = 'brand-4') ORDER BY id DESC LIMIT 1), '')")
		if !strings.Contains(noted, stage.noted) || noted != "" && stage.noted == "" {
			t.Errorf("%s: %q is noted, want %q", stage.name, noted, stage.noted)
		}
	}
	n.sync(t, exitDone)
	n.holds(t, strings.ReplaceAll(before, "100", "99"))
}

// What is wrong with one client's listing, or doubtful about its rows, stops no other.
func TestSync_AFaultyListing(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	n.change(t, "INSERT INTO brands VALUES (11, NULL, 'No slug'), (12, 'brand-12', NULL), (13, 'brand-2', 'Another slug')")
	n.write(t, "clients.sql", `SELECT b.id AS key, md5('brand' || b.id)::uuid AS id, b.code AS slug, b.label AS name FROM brands AS b
		UNION ALL
		VALUES (1, md5('brand1')::uuid, 'again', 'Listed twice'), (14, NULL, 'brand-14', 'No id')`)
	n.write(t, "nightly.yaml", strings.NewReplacer("max_bad: 1%", "max_bad: 1000", "brand-7:", "brand-77:").Replace(n.read(t, "nightly.yaml")))
	// A query gives its kind, whatever its rows say.
	n.write(t, "campaigns.sql", strings.Replace(n.read(t, "campaigns.sql"), "SELECT ", "SELECT 'lane' AS kind, ", 1))
	// Brand 2 has two rows of one interview, which differ, and brand 3 two that do not.
	n.write(t, "interviews.sql", strings.NewReplacer("c.score AS", "CASE c.id WHEN 21 THEN x.n ELSE c.score END AS",
		"FROM conversations AS c", "FROM conversations AS c JOIN (VALUES (1), (2)) AS x (n) ON x.n = 1 OR c.id IN (21, 22)").Replace(n.read(t, "interviews.sql")))
	said := n.sync(t, exitFailed)
	for client, wants := range map[string][]string{
		"11":       {"client.slug: must be"},
		"brand-12": {"client.name: must be"},
		"brand-14": {"clients: id must be a UUID"},
		"brand-1":  {"clients: its id is listed twice"},
		"again":    {"clients: its id is listed twice"},
		"brand-2":  {"campaign 6 added", "interview 100 added", `"brand-2" is the slug of client `, "query interview: row ", "another of the same id has other values"},
		"brand-3":  {"interview 100 added, 0 changed, 1 unchanged\n"},
		"brand-77": {"max_removed_of names it"},
	} {
		for _, want := range wants {
			check.Contains(t, said[client], want, client)
		}
	}
	check.Lacks(t, said["brand-3"], "warning", "equal rows are told")
	failures := dbtest.Value[int](t, n.target, "SELECT count(*) FROM imports WHERE error IS NOT NULL")
	check.Equal(t, failures, 6, "noted failures")
	// Another configuration has clients of its own: it misses none of these.
	n.write(t, "other.yaml", strings.Replace(n.read(t, "nightly.yaml"), "clients: clients.sql", "clients: SELECT 3 AS key, md5('brand3')::uuid AS id, 'brand-3' AS slug, 'Brand 3' AS name", 1))
	if got := command(t, n.env, "", "sync", filepath.Join(n.dir, "other.yaml")); got.code != exitDone || strings.Contains(got.stderr, "no more") {
		t.Errorf("another configuration: %+v", got)
	}
}

// Not even the schema is made.
func TestSync_ADryRunWritesNothing(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	n.target = dbtest.NewEmpty(t)
	n.env["DATABASE_URL"] = n.target.OwnerURL
	n.sync(t, exitFailed, "--dry-run")
	tables := dbtest.Value[int](t, n.target, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
	check.Equal(t, tables, 0, "tables")
	if _, err := os.Stat(filepath.Join(n.dir, "rejects.ndjson")); !os.IsNotExist(err) {
		t.Errorf("the rejects: %v", err)
	}
}

// A query that fails fails its client, and no other.
func TestSync_OneClientsQueryFails(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	n.change(t, "UPDATE conversations SET seconds = 0 WHERE brand_id = 2")
	query := n.read(t, "interviews.sql")
	n.write(t, "interviews.sql", strings.Replace(query, "c.seconds AS", "c.seconds / c.seconds AS", 1))
	said := n.sync(t, exitFailed)
	if !strings.Contains(said["brand-2"], "division by zero") || !strings.Contains(said["brand-3"], "interview 100 added") || !strings.Contains(said["brand-10"], "interview 100 added") {
		t.Errorf("got %q", said)
	}
	// What people said, which the source's error quotes, is told nowhere.
	n.write(t, "interviews.sql", strings.Replace(query, "c.person AS", "c.person::integer AS", 1))
	if said := n.sync(t, exitFailed); !strings.Contains(said["brand-1"], `invalid input syntax for type integer: "…" (SQLSTATE 22P02)`) || strings.Contains(said["brand-1"], "Person") {
		t.Errorf("a value that the source cannot read: %q", said["brand-1"])
	}
	n.write(t, "interviews.sql", "SELECT 1\nFORM x WHERE $1 = 1")
	if said := n.sync(t, exitFailed); !strings.Contains(said["brand-1"], "at line 2 of the query") {
		t.Errorf("a mistake in a query: %q", said["brand-1"])
	}
	// What would leave the transaction that only reads is one statement too many.
	n.write(t, "interviews.sql", "SELECT 1 AS id) AS x; COMMIT; DROP TABLE production.brands; SELECT 1 FROM (SELECT $1::text")
	if said := n.sync(t, exitFailed); !strings.Contains(said["brand-1"], "cannot insert multiple commands") {
		t.Errorf("several statements: %q", said["brand-1"])
	}
}

// Files hold many clients: each is still synced by itself.
func TestSync_Files(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	other := strings.NewReplacer("acme", "globex", "11111111", "22222222").Replace(acme)
	lane := `{"kind":"lane","id":"55555555-0000-4000-8000-000000000001","client_id":"11111111-1111-4111-8111-111111111111","slug":"l","visible":true}`
	n.write(t, "a.ndjson", strings.TrimSpace(acme)+"\n"+lane+"\n"+strings.TrimSpace(other)+"\n"+`{"kind":"end","lines":3}`)
	n.write(t, "nightly.yaml", "source: {files: [\"*.ndjson\"]}\nkinds: [lane]\n")
	said := n.sync(t, exitDone)
	if !strings.Contains(said["acme"], "lane 1 added") || !strings.Contains(said["globex"], "client 1 added") || strings.Contains(said["globex"], "lane") {
		t.Errorf("got %q", said)
	}
	n.write(t, "a.ndjson", strings.TrimSpace(acme)+"\n"+strings.TrimSpace(other)+"\n"+`{"kind":"end","lines":3}`)
	if said := n.sync(t, exitFailed); !strings.Contains(said["clientintel"], "must be the number of lines before it") {
		t.Errorf("a file that was cut short: %q", said["clientintel"])
	}
	n.write(t, "a.ndjson", strings.TrimSpace(acme)+"\n"+strings.Replace(lane, `"client_id"`, `"of"`, 1))
	if said := n.sync(t, exitFailed); !strings.Contains(said["clientintel"], "line 2: lane.client_id: must be a UUID") {
		t.Errorf("a line of no client: %q", said["clientintel"])
	}
	const nobody = "99999999-1111-4111-8111-111111111111"
	n.write(t, "a.ndjson", strings.TrimSpace(acme)+"\n"+lane+"\n"+strings.NewReplacer("11111111-1111-4111-8111-111111111111", nobody, "8000-000000000001", "8000-000000000002").Replace(lane))
	if said := n.sync(t, exitFailed); !strings.Contains(said["acme"], "lane 0 added, 0 changed, 1 unchanged") || !strings.Contains(said[nobody], "there is no client "+nobody) {
		t.Errorf("a line of a client that is not there: %q", said)
	}
}

// A wrong configuration is told whole, and nothing is tried.
func TestSync_AWrongConfiguration(t *testing.T) {
	t.Parallel()
	n := startNights(t)
	for config, want := range map[string][]string{
		"kinds: [segment]\nmax_bad: many":                          {"source: must name", `"segment" is not one of`, "max_bad must be a number"},
		"source: {postgres: NONE}\nclients: x\nkinds: [interview]": {"queries: there is none for interview"},
		"source: {files: [x]}\nkinds: [lane]\nsurprise: 1":         {"field surprise not found"},
		"": {"source: must name", "kinds: must list"},
		"source: {files: [x]}\nkinds: [lane, lane]\nmax_wait: 0s":                                              {"lane is there twice", "max_wait: must be more than 0"},
		"source: {postgres: NONE}\nclients: x\nkinds: [lane]\nqueries: {lane: x}":                              {"the variable NONE is not set"},
		"source: {files: [x]}\nkinds: [lane]\nmax_removed: {interview: 1%}\nmax_removed_of: {a: {lane: 101%}}": {"interview is not in kinds", "max_removed_of: a: lane must be"},
	} {
		n.write(t, "nightly.yaml", config)
		got := command(t, n.env, "", "sync", filepath.Join(n.dir, "nightly.yaml"))
		for _, text := range want {
			if got.code != exitUsage || !strings.Contains(got.stderr, text) {
				t.Errorf("%s: exit code %d and %s, want %s", config, got.code, got.stderr, text)
			}
		}
	}
}

// An erased person is gone from what is served, told where she is still named, and not
// brought back by the next import.
func TestErase(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	const her = "aaaaaaaa-0000-4000-8000-000000000001"
	lines := acme + `
		{"kind":"interview","id":"` + her + `","client_id":"11111111-1111-4111-8111-111111111111","participant_name":"Zyx \"Z\" Erasemeton","participant_email":"Zyx@erase.example","status":"completed","quality":"passed","reportable":true,"client_safe":true,"created_at":"2026-11-20T00:00:00Z","best_quote":"q"}
		{"kind":"interview","id":"bbbbbbbb-0000-4000-8000-000000000001","client_id":"11111111-1111-4111-8111-111111111111","participant_name":"Ada","status":"completed","quality":"passed","created_at":"2026-11-20T00:00:00Z"}
		{"kind":"synthesis_document","id":"aaaaaaaa-0000-4000-8000-000000000002","client_id":"11111111-1111-4111-8111-111111111111","synthesis_type":"home","document":{"q":"said:\nzyx \"Z\" erasemeton"},"contract_version":"v1","status":"published","created_at":"2026-11-20T00:00:00Z","updated_at":"2026-11-20T00:00:00Z"}
		{"kind":"synthesis_document","id":"aaaaaaaa-0000-4000-8000-000000000005","client_id":"11111111-1111-4111-8111-111111111111","synthesis_type":"home","document":{"q":"said Ada of prezyx \"Z\" erasemeton and zyx \"Z\" erasemetons"},"contract_version":"v1","status":"published","created_at":"2026-11-20T00:00:00Z","updated_at":"2026-11-20T00:00:00Z"}
		{"kind":"portal_document","id":"aaaaaaaa-0000-4000-8000-000000000003","client_id":"11111111-1111-4111-8111-111111111111","type":"home","body":{"schema":"home.v1","entries":["` + her + `"]},"status":"published","measurement_snapshot_id":"aaaaaaaa-0000-4000-8000-000000000004"}
		{"kind":"measurement_snapshot","snapshot_id":"aaaaaaaa-0000-4000-8000-000000000004","client_id":"11111111-1111-4111-8111-111111111111","as_of":"2026-11-20T00:00:00Z","measurement_contract_version":"canonical_measurement.v1","scope_hash":"4d7f1c0a9b8e2d3c5a6f7b8c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f7081920","membership_hash":"51fa6d5a2f5d2e2f0a5d3c4b1e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b1c2d3e4f","source_interview_ids":["` + her + `","bbbbbbbb-0000-4000-8000-000000000001"],"source_count":2}`
	done(t, env, lines, "import", "-")
	state := func() (found string) {
		d.Query(t, &found, `SELECT format('%s interviews, %s found, %s published, %s in bases', (SELECT count(*) FROM interviews), (SELECT count(*) FROM search_documents),
			(SELECT count(*) FROM visible_synthesis_documents) + (SELECT count(*) FROM visible_portal_documents), (SELECT sum(cardinality(source_interview_ids)) FROM measurement_snapshots))`)
		return found
	}
	ask := []string{"erase", "--client", "acme", "--email", " zyx@ERASE.example"}
	for _, c := range []struct {
		flags             []string
		code              int
		says, leaves, not string
	}{
		{nil, exitDone, "found interview " + her, "2 interviews, 1 found, 3 published, 2 in bases", "000000000005"},
		{[]string{"--yes"}, exitDone, "portal_document aaaaaaaa-0000-4000-8000-000000000003 names the person, and was left as it is", "1 interviews, 0 found, 3 published, 1 in bases", "Zyx"},
		{[]string{"--yes"}, exitFailed, "the client has no such interview", "1 interviews, 0 found, 3 published, 1 in bases", "Zyx"},
	} {
		got := command(t, env, "", append(ask, c.flags...)...)
		if got.code != c.code || !strings.Contains(got.stdout+got.stderr, c.says) || strings.Contains(got.stdout+got.stderr, c.not) {
			t.Errorf("%v: %+v, want %s", c.flags, got, c.says)
		}
		check.Equal(t, state(), c.leaves, c.flags)
	}
	// By its id, also when it is gone: what still has the id is withdrawn.
	if got := command(t, env, "", "erase", "--client", "acme", "--interview", her, "--yes", "--withdraw"); got.code != exitDone || !strings.Contains(got.stdout, "000000000003 is withdrawn") {
		t.Errorf("by its id: %+v", got)
	}
	// Yesterday's export brings back her documents at most.
	got := command(t, env, lines, "import", "-")
	if got.code != exitDone || !strings.Contains(got.stderr, "interview 0 added, 0 changed, 1 unchanged, 1 erased before") {
		t.Errorf("yesterday's export: %+v", got)
	}
	check.Equal(t, state(), "1 interviews, 0 found, 3 published, 1 in bases", "after yesterday's export")
	if got := command(t, env, "", "clients", "release", "acme", "interview", her); got.code != exitFailed || !strings.Contains(got.stderr, "was erased") {
		t.Errorf("releasing an erased id: %+v", got)
	}
}
