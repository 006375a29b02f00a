package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
)

// A migration tries again after what other sessions and databases make it fail with,
// and after nothing else.
func TestMigrate_TriesAgainAfterLockConflicts(t *testing.T) {
	t.Parallel()
	for refused, want := range map[pgconn.PgError]bool{
		{Code: "55P03"}: true,
		{Code: "40P01"}: true,
		{Code: "XX000", Message: "tuple concurrently updated"}: true,
		{Code: "XX000", Message: "could not open file"}:        false,
		{Code: "42P07"}: false,
	} {
		if got := isLockConflict(fmt.Errorf("migrating: %w", &refused)); got != want {
			t.Errorf("%s %s: %t", refused.Code, refused.Message, got)
		}
	}
}

// The texts for a distributed database take the parameters of the generated ones: a
// change there must not leave them behind.
func TestDistributed_QueriesFollowTheGeneratedOnes(t *testing.T) {
	t.Parallel()
	cast := regexp.MustCompile(`\$\d+(::\w+)?`)
	parameters := func(sql string) []string {
		found := cast.FindAllString(sql, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for _, generated := range []string{db.ListNewestSearchHits, db.ListSearchHits, db.ReadDataPointsInIndexOrder} {
		if text := distributedText(generated); text == generated || !slices.Equal(parameters(text), parameters(generated)) {
			t.Errorf("%q takes other parameters than %q", text, generated)
		}
	}
	// On a worker the catalog's view would show other tables than the client's shards.
	if strings.Contains(db.WorkerFunctions, "measurement_trigger_status") || !strings.Contains(db.WorkerFunctions, "count_shard_triggers") {
		t.Error("the measurement does not count the triggers on the client's shards")
	}
}

// Every worker function is created once and called in place of its query.
func TestWorkerFunctions_EachIsCreatedAndCalled(t *testing.T) {
	t.Parallel()
	names := strings.Fields(db.WorkerFunctionNames)
	called := map[string]bool{}
	for header, call := range db.WorkerCalls {
		text := distributedText(header + "\nSELECT 1")
		name, _, _ := strings.Cut(strings.TrimPrefix(text, header+"\nSELECT * FROM "), "(")
		if text != call || !slices.Contains(names, name) {
			t.Errorf("%s is executed as %s", header, text)
		}
		called[name] = true
	}
	for _, name := range names {
		if !called[name] || strings.Count(db.WorkerFunctions, "CREATE OR REPLACE FUNCTION "+name+"(") != 1 {
			t.Errorf("%s is not called, or not created once", name)
		}
	}
	if created := strings.Count(db.WorkerFunctions, "CREATE OR REPLACE FUNCTION "); created != len(names) || len(called) != len(names) {
		t.Errorf("%d functions are created and %d called, of %d", created, len(called), len(names))
	}
}
