//go:build distributed && linux

package distributed

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
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
		var shard string
		e.query(t, &shard, "SELECT $1 || '_' || get_shard_id_for_distribution_column($1, $2::uuid)", table, e.west.id)
		dbtest.Exec(t, worker, "SET citus.enable_manual_changes_to_shards = on")
		dbtest.Exec(t, worker, fmt.Sprintf("ALTER TABLE %s DISABLE TRIGGER %s", shard, strings.Replace(shard, table, trigger, 1)))
		a := e.caller.Get(t.Context(), s.URL, "/intelligence/search?q=e&limit=1", e.west.key)
		check.Equal(t, a.Status, http.StatusServiceUnavailable, trigger, string(a.Body))
		if disabled, err := db.New(e.owner(t)).CheckTriggers(t.Context()); err != nil || !strings.Contains(disabled, e.west.worker.Port()) {
			t.Errorf("%s off: CheckTriggers names %q, %v", trigger, disabled, err)
		}
		if stdout, err := base.Run(e.ownerURL(), "", "measurement", "audit"); err == nil {
			t.Errorf("%s off: the audit agrees: %s", trigger, stdout)
		}
		dbtest.Exec(t, e.owner(t), "SELECT enable_shard_triggers()")
		e.run(t, "measurement", "rebuild", "--all")
		e.data(t, s, "/intelligence/search?q=e&limit=1", e.west.key)
		e.run(t, "measurement", "audit")
	}
}

// A database with records is not distributed, and what is distributed stays as it is.
func TestDistribute_EmptyDatabasesOnly(t *testing.T) {
	t.Parallel()
	e := &environment{Nodes: nodes, name: fmt.Sprintf("d%d", databases.Add(1))}
	require.NoError(t, nodes.CreateDatabase(t.Context(), e.name))
	t.Cleanup(func() { _ = nodes.DropDatabase(context.Background(), e.name) })
	e.run(t, "migrate")
	client := uuid.NewString()
	e.importText(t, fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, client))
	_, err := base.Run(e.ownerURL(), "", "migrate", "--distribute")
	check.Error(t, err, "clients export", "with a record")
	e.run(t, "clients", "purge", client, "--yes")
	dbtest.Exec(t, e.owner(t), "DELETE FROM record_owners")
	e.run(t, "migrate", "--distribute")
	e.importText(t, fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, client))
	e.run(t, "migrate", "--distribute")
	check.Contains(t, e.run(t, "clients", "list"), client, "distributing again lost the client")
}

// Two imports at once cannot give one slug to two clients, though no index proves it.
func TestImport_SlugsStayUnique(t *testing.T) {
	t.Parallel()
	e := newDatabase(t, nodes)
	var imports sync.WaitGroup
	failures := make([]error, 4)
	for i := range failures {
		imports.Go(func() {
			_, failures[i] = base.Run(e.ownerURL(), fmt.Sprintf(`{"kind":"client","id":%q,"slug":"acme","name":"Acme"}`, uuid.NewString()), "import", "-")
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
