//go:build distributed && linux

package distributed

import (
	"testing"
)

func shardOf(t *testing.T, e *environment, table, client string) (shard string) {
	t.Helper()
	e.query(t, &shard, "SELECT get_shard_id_for_distribution_column($1, $2::uuid)::text", table, client)
	return shard
}
