//go:build distributed && linux

package distributed

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// A worker is added and a client moved to it: reads go on, and counts,
// triggers and policies are as before. docs/scale.md has the commands.
func TestGrowth_ClientMovesToANewWorker(t *testing.T) {
	t.Parallel()
	on := ownNodes(t)
	e := setupOn(t, on)
	s := e.serve(t)
	paths := e.readsOf(t, e.west)
	before := map[string]string{}
	for _, path := range paths {
		before[path] = e.data(t, s, path, e.west.key)
	}
	worker, err := on.AddWorker(t.Context())
	if err == nil {
		err = on.Register(t.Context(), worker, e.name)
	}
	if err != nil {
		t.Fatal(err)
	}
	e.run(t, "migrate", "--distribute") // what is granted, on the new worker too
	done := make(chan struct{})
	var going sync.WaitGroup
	asked := 0
	going.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if a := e.caller.Get(t.Context(), s.URL, "/campaigns?limit=1", e.west.key); a.Status != http.StatusOK && a.Status != http.StatusTooManyRequests {
				t.Errorf("while the client moves: status %d: %s", a.Status, a.Body)
			}
			asked++
		}
	})
	administrator := e.on(t, on.Coordinator)
	exec(t, administrator, `SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('clients', $1::uuid),
		'127.0.0.1', $2::integer, '127.0.0.1', $3::integer, 'block_writes')`, e.west.id, port(t, e.west.worker), port(t, worker))
	close(done)
	going.Wait()
	if moved := e.workerOf(t, e.west.id); moved != worker {
		t.Fatalf("the client lies on %s, not on the new worker %s", moved.Port(), worker.Port())
	}
	if asked == 0 {
		t.Error("nothing was asked during the move")
	}
	for _, path := range paths {
		if now := e.data(t, s, path, e.west.key); now != before[path] {
			t.Errorf("%s: the answer has changed with the move", path)
		}
	}
	e.run(t, "measurement", "audit")
	e.importText(t, interviewLine(e.west.id, uuid.NewString()))
	e.run(t, "measurement", "audit")
	// What is granted there is what is granted elsewhere.
	conn := e.on(t, worker)
	const granted = `SELECT string_agg(g.name, ', ' ORDER BY g.name) FROM (
		SELECT p.oid::regprocedure::text AS name FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
			AND has_function_privilege('clientintel_server', p.oid, 'EXECUTE') AND p.proname NOT IN ('admit', 'begin_read')
		UNION ALL
		SELECT c.relname FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v' AND has_table_privilege('clientintel_server', c.oid, 'SELECT')
	) AS g WHERE g.name NOT LIKE '%request%'`
	var here, there string
	if err := conn.QueryRow(t.Context(), granted).Scan(&here); err != nil {
		t.Fatal(err)
	}
	if err := e.on(t, e.east.worker).QueryRow(t.Context(), granted).Scan(&there); err != nil || here != there {
		t.Errorf("on the new worker the server's role may use\n%s\nand on another\n%s\n%v", here, there, err)
	}
	exec(t, conn, "SET ROLE clientintel_server")
	var seen int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM interviews_"+shardOf(t, e, "interviews", e.west.id)).Scan(&seen); err != nil || seen != 0 {
		t.Errorf("on the new worker, the server's role sees %d rows of a shard: %v", seen, err)
	}
}

func port(t *testing.T, node *cluster.Postgres) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(node.Port(), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func shardOf(t *testing.T, e *environment, table, client string) (shard string) {
	t.Helper()
	e.query(t, &shard, "SELECT get_shard_id_for_distribution_column($1, $2::uuid)::text", table, client)
	return shard
}
