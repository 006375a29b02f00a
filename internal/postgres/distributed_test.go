package postgres

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/sql/distributed"
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

// The texts for a distributed database follow the generated ones, or take their
// parameters: a change there must not leave them behind.
func TestDistributed_QueriesFollowTheGeneratedOnes(t *testing.T) {
	t.Parallel()
	inOneLine := func(sql string) string { return strings.Join(strings.Fields(sql), " ") }
	_, measurement, _ := strings.Cut(db.GetMeasurement, "\nSELECT")
	measurement = strings.NewReplacer(
		"(SELECT t.all_enabled FROM measurement_trigger_status AS t)::boolean AS triggers_enabled",
		"public.count_shard_triggers($2) = 19 AS triggers_enabled, transaction_timestamp() AS as_of",
		"clients AS c", "%s AS c", "measurement_states AS s", "%s AS s", "measurement_changes AS m", "%s AS m",
	).Replace(measurement)
	if !strings.Contains(inOneLine(distributed.Distribute), inOneLine(measurement)) {
		t.Errorf("read_measurement of a distributed database is not GetMeasurement, which would be: SELECT %s", inOneLine(measurement))
	}
	parameter := regexp.MustCompile(`\$\d+(::\w+)?`)
	parameters := func(sql string) []string {
		found := parameter.FindAllString(sql, -1)
		slices.Sort(found)
		return slices.Compact(found)
	}
	for _, generated := range []string{db.ListNewestSearchHits, db.ListSearchHits, db.ReadDataPointsInIndexOrder} {
		if text := distributedText(generated); text == generated || !slices.Equal(parameters(text), parameters(generated)) {
			t.Errorf("%q takes other parameters than %q", text, generated)
		}
	}
}
