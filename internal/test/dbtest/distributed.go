//go:build linux

package dbtest

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

var (
	prepareNodes sync.Once
	nodes        *cluster.Nodes
	cloning      sync.Mutex
)

const distributedTemplate = "distributed_template"

// newDistributed is New on a coordinator and two workers, which end with the process.
func newDistributed(t testing.TB) *Database {
	t.Helper()
	ctx := context.Background()
	prepareNodes.Do(func() { failed = setUpNodes(ctx) })
	if failed != nil {
		t.Fatalf("preparing the distributed database: %v", failed)
	}
	name := fmt.Sprintf("t%d_%d", os.Getpid(), count.Add(1))
	cloning.Lock()
	err := nodes.CloneDatabase(ctx, distributedTemplate, name)
	cloning.Unlock()
	require.NoError(t, err)
	t.Cleanup(func() {
		check.NoError(t, nodes.DropDatabase(ctx, name), "dropping the test's database")
	})
	return &Database{
		Name: name, SuperuserURL: nodes.Coordinator.URLOf(embedded.Superuser, name),
		OwnerURL: nodes.Coordinator.URLOf(embedded.Owner, name), ServerURL: nodes.Coordinator.URLOf(embedded.Login, name),
	}
}

func setUpNodes(ctx context.Context) error {
	base, err := cluster.PrepareClusters(ctx)
	if err != nil {
		return err
	}
	// Few shards: each database has all of them.
	if nodes, err = base.NewNodes(ctx, 2, map[string]string{"citus.shard_count": "4"}); err != nil {
		return err
	}
	if err := nodes.CreateDatabase(ctx, distributedTemplate); err != nil {
		return err
	}
	url := nodes.Coordinator.URLOf(embedded.Owner, distributedTemplate)
	if _, err := postgres.Migrate(ctx, url, migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if _, err := postgres.Distribute(ctx, url, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	return nodes.DisallowConnections(ctx, distributedTemplate)
}
