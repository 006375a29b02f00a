package app

import "testing"

// The limit leaves space for garbage, however large the live heap is.
func TestLimitFor_LeavesRoom(t *testing.T) {
	t.Parallel()
	for live := int64(0); live < 1<<32; live = 2*live + 1<<20 {
		limit := limitFor(live)
		if limit < usualMemory || limit < live+live/2 {
			t.Errorf("with %d bytes alive the limit is %d", live, limit)
		}
	}
}
