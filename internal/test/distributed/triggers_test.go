//go:build distributed && linux

package distributed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

// A trigger that is off on one shard of one worker is noticed by its clients' searches, by
// CheckTriggers and by audits; the coordinator's catalog does not show it.
func TestTriggers_OffOnOneShard(t *testing.T) {
	t.Parallel()
	e := setup(t)
	s := e.serve(t)
	worker := e.on(t, e.west.worker)
	for trigger, table := range map[string]string{
		"count_inserted_members": "interviews", "maintain_search_documents_on_update": "interviews", "propagate_campaign_live": "campaigns",
	} {
		shard := table + "_" + shardOf(t, e, table, e.west.id)
		exec(t, worker, "SET citus.enable_manual_changes_to_shards = on")
		exec(t, worker, fmt.Sprintf("ALTER TABLE %s DISABLE TRIGGER %s", shard, strings.Replace(shard, table, trigger, 1)))
		a := e.caller.Get(t.Context(), s.URL, "/intelligence/search?q=e&limit=1", e.west.key)
		if a.Status != http.StatusServiceUnavailable {
			t.Errorf("%s off: a search is answered %d %s", trigger, a.Status, a.Body)
		}
		if disabled, err := db.New(e.owner(t)).CheckTriggers(t.Context()); err != nil || !strings.Contains(disabled, e.west.worker.Port()) {
			t.Errorf("%s off: CheckTriggers names %q, %v", trigger, disabled, err)
		}
		if stdout, stderr, err := e.try(t, "measurement", "audit"); err == nil {
			t.Errorf("%s off: the audit agrees: %s%s", trigger, stdout, stderr)
		}
		exec(t, e.owner(t), "SELECT enable_shard_triggers()")
		e.run(t, "measurement", "rebuild", "--all")
		e.data(t, s, "/intelligence/search?q=e&limit=1", e.west.key)
		e.run(t, "measurement", "audit")
	}
}

// A database with records is not distributed, and what is distributed stays as it is.
func TestDistribute_EmptyDatabasesOnly(t *testing.T) {
	t.Parallel()
	e := &environment{Nodes: nodes, name: fmt.Sprintf("d%d", databases.Add(1))}
	if err := nodes.CreateDatabase(t.Context(), e.name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nodes.DropDatabase(context.Background(), e.name) })
	e.run(t, "migrate")
	client := uuid.NewString()
	e.importText(t, fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, client))
	if _, stderr, err := e.try(t, "migrate", "--distribute"); err == nil || !strings.Contains(stderr, "clients export") {
		t.Errorf("with a record: %v: %s", err, stderr)
	}
	e.run(t, "clients", "purge", client, "--yes")
	exec(t, e.owner(t), "DELETE FROM record_owners")
	e.run(t, "migrate", "--distribute")
	e.importText(t, fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, client))
	e.run(t, "migrate", "--distribute")
	if stdout := e.run(t, "clients", "list"); !strings.Contains(stdout, client) {
		t.Errorf("distributing again lost the client: %s", stdout)
	}
}

// Distributing that did not follow a migration, as its process ended, or that another
// release did, is done by the next migration, whatever that applies.
func TestMigrate_DistributesWhatIsDue(t *testing.T) {
	t.Parallel()
	e := newDatabase(t, nodes)
	conn := e.owner(t)
	const body = "SELECT md5(p.prosrc) FROM pg_proc AS p WHERE p.oid = 'check_search_triggers'::regproc"
	var before, after string
	e.query(t, &before, body)
	var by string
	e.query(t, &by, "SELECT obj_description('find_disabled_triggers'::regproc, 'pg_proc')")
	version, _, _ := strings.Cut(by, " ")
	// Another schema's, and this schema's by another release.
	for _, other := range []string{"1 0", version + " 0"} {
		exec(t, conn, "CREATE OR REPLACE FUNCTION check_search_triggers() RETURNS void LANGUAGE plpgsql STABLE AS 'BEGIN END'")
		exec(t, conn, "COMMENT ON FUNCTION find_disabled_triggers IS '"+other+"'")
		e.run(t, "migrate")
		if e.query(t, &after, body); after != before {
			t.Errorf("distributed by %q: what a migration replaced was not put back", other)
		}
	}
	if due, err := postgres.DistributionIsDue(t.Context(), e.ownerURL()); err != nil || due {
		t.Errorf("due afterwards: %t, %v", due, err)
	}
}

// Two imports at once cannot give one slug to two clients, though no index proves it.
func TestImport_SlugsStayUnique(t *testing.T) {
	t.Parallel()
	e := newDatabase(t, nodes)
	var imports sync.WaitGroup
	failures := make([]error, 4)
	for i := range failures {
		imports.Go(func() {
			_, failures[i] = e.tryImport(t, fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, uuid.NewString()))
		})
	}
	imports.Wait()
	failed := 0
	for _, err := range failures {
		if err != nil {
			failed++
		}
	}
	var clients int
	e.query(t, &clients, "SELECT count(*) FROM clients")
	if clients != 1 || failed != 3 {
		t.Errorf("%d clients have the slug, %d of 4 imports failed", clients, failed)
	}
}

// Writers of every kind, on both workers and in one transaction, with rollbacks: totals
// are those of the rows, at the end and in every response before.
func TestTotals_UnderWritersOnBothWorkers(t *testing.T) {
	t.Parallel()
	e := setup(t)
	s := e.serve(t)
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	for n := range 4 {
		conn, random := e.owner(t), rand.New(rand.NewPCG(uint64(n), 5))
		writing.Go(func() {
			for i := range 40 {
				if err := e.write(t.Context(), conn, random); err != nil && !postgres.IsRetryable(err) && !errors.Is(err, errRolledBack) {
					t.Errorf("writer %d, transaction %d: %v", n, i, err)
				}
			}
		})
	}
	for _, c := range []client{e.east, e.west} {
		reading.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				a := e.caller.Get(t.Context(), s.URL, "/analytics/interviews?date_from=2000-01-01&date_to=2100-01-01", c.key)
				if a.Status == http.StatusTooManyRequests {
					return
				}
				if total, counted := totals(a.Body); a.Status != http.StatusOK || total != counted {
					t.Errorf("%s: status %d, %d of %d: %.300s", c.slug, a.Status, counted, total, a.Body)
					return
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	e.run(t, "measurement", "audit")
	var left int
	e.query(t, &left, "SELECT count(*) FROM pg_prepared_xacts")
	if left > 0 {
		t.Errorf("%d transactions stay prepared", left)
	}
}

var errRolledBack = errors.New("rolled back on purpose")

func (e *environment) write(ctx context.Context, conn *pgx.Conn, random *rand.Rand) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for range 1 + random.IntN(3) {
			client := []client{e.east, e.west}[random.IntN(2)].id
			var err error
			switch random.IntN(5) {
			case 0, 1:
				_, err = tx.Exec(ctx, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, best_quote)
					SELECT $1, gen_random_uuid(), now(), 'completed', 'passed', n.n % 3 > 0, true, 'written' FROM generate_series(1, $2::integer) AS n (n)`,
					client, 1+random.IntN(5))
			case 2:
				_, err = tx.Exec(ctx, "UPDATE interviews SET reportable = NOT reportable WHERE client_id = $1 AND best_quote = 'written'", client)
			case 3:
				_, err = tx.Exec(ctx, "DELETE FROM interviews WHERE client_id = $1 AND best_quote = 'written' AND reportable", client)
			case 4:
				_, err = tx.Exec(ctx, "UPDATE campaigns SET active = NOT coalesce(active, true) WHERE client_id = $1 AND slug = (SELECT min(c.slug) FROM campaigns AS c WHERE c.client_id = $1)", client)
			}
			if err != nil {
				return err
			}
		}
		if random.IntN(5) == 0 {
			return errRolledBack
		}
		return nil
	})
}

// totals are the count of the measurement and that of the chart.
func totals(body []byte) (total, counted int) {
	var chart struct {
		Data struct{ Total int }
		Meta struct {
			Total int `json:"measurement_total_count"`
		}
	}
	_ = json.Unmarshal(body, &chart)
	return chart.Meta.Total, chart.Data.Total
}
