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
func TestMigrate_GivesWay(t *testing.T) {
	t.Parallel()
	for refused, want := range map[pgconn.PgError]bool{
		{Code: "55P03"}: true,
		{Code: "40P01"}: true,
		{Code: "XX000", Message: "tuple concurrently updated"}: true,
		{Code: "XX000", Message: "could not open file"}:        false,
		{Code: "42P07"}: false,
	} {
		if got := gaveWay(fmt.Errorf("migrating: %w", &refused)); got != want {
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
	if strings.Contains(workerMeasurement, "measurement_trigger_status") || !strings.Contains(workerMeasurement, "count_shard_triggers") {
		t.Errorf("the measurement does not count the triggers beside the client: %s", workerMeasurement)
	}
}

// A function is named by its query's text, and its statements by the shard's number,
// too, which PostgreSQL would cut off beyond 63 characters.
func TestWorkerFunction_NamesDiffer(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, query := range append(slices.Clone(workerQueries), db.ListCampaigns+" ") {
		name := workerFunction(query)
		if seen[name] || len(name) > 54 {
			t.Errorf("the name %s is another query's, or too long", name)
		}
		seen[name] = true
	}
}

// A query of shards names each table and view that it reads once, views by what they are
// made of, and reads no table but shards.
func TestOnShards(t *testing.T) {
	t.Parallel()
	usable, named, other := " SELECT i.id FROM (interviews i) WHERE i.name ~~ '%x'::text", " SELECT u.id FROM usable_interviews", "SELECT 1"
	relations := []relation{
		{Name: "campaigns"}, {Name: "interviews"}, {Name: "usable_interviews", Definition: &usable}, {Name: "searched", Definition: &named},
		{Name: "audited_interviews", Definition: &usable}, {Name: "id", Definition: &other}, {Name: "a(b", Definition: &other},
	}
	text, tables := onShards("-- name: X :many\nSELECT u.id FROM searched AS u WHERE u.id LIKE '%' LIMIT $1", relations)
	want := "WITH interviews AS NOT MATERIALIZED (SELECT * FROM %s), usable_interviews AS NOT MATERIALIZED " +
		"( SELECT i.id FROM (interviews i) WHERE i.name ~~ '%%x'::text), searched AS NOT MATERIALIZED ( SELECT u.id FROM usable_interviews)\n" +
		"(SELECT u.id FROM searched AS u WHERE u.id LIKE '%%' LIMIT $1)"
	if text != want || !slices.Equal(tables, []string{"interviews"}) {
		t.Errorf("of %v:\n%s\nwant\n%s", tables, text, want)
	}
}
