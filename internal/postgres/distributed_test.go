package postgres

import (
	"fmt"
	"regexp"
	"slices"
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
	for _, generated := range []string{db.ListNewestSearchHits, db.ListSearchHits} {
		if text := distributedText(generated); text == generated || !slices.Equal(parameters(text), parameters(generated)) {
			t.Errorf("%q takes other parameters than %q", text, generated)
		}
	}
}
