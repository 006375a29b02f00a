package importer

import (
	"strings"
	"testing"
)

// A long import spends no more on each row than a short one: what all TRUNCATEs look at
// grows as the rows do, and a table holds the rows of a few batches at most.
func TestStagingCleanup_CostsALongImportNoMoreForEachRow(t *testing.T) {
	t.Parallel()
	const batch = 5000
	for _, batches := range []int64{10, 200, 2000} {
		var c stagingCleanup
		lookedAt, left := int64(0), 0
		for n := range batches {
			for _, statement := range c.statements(batch, []string{"import_ids"}) {
				if left++; strings.HasPrefix(statement, "TRUNCATE ") {
					lookedAt, left = lookedAt+(n+1)*batch, 0
				}
			}
			if left > maxDeletes {
				t.Fatalf("%d batches are left in the table", left)
			}
		}
		if each := lookedAt / (batches * batch); each > 70 {
			t.Errorf("%d rows: TRUNCATE looks at %d of them for each", batches*batch, each)
		}
	}
}
