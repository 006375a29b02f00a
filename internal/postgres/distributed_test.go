package postgres

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/gen/db"
)

// The texts for a distributed database are made from the generated ones, or take their
// parameters: a change there must not leave them behind.
func TestDistributed_QueriesFollowTheGeneratedOnes(t *testing.T) {
	t.Parallel()
	if strings.Contains(distributedMeasurement, "measurement_trigger_status") || !strings.Contains(distributedMeasurement, "count_shard_triggers") {
		t.Error("GetMeasurement has changed: its form for a distributed database still reads the coordinator's catalog")
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
