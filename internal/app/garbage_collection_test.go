package app

import (
	"runtime"
	"sync"
	"testing"
)

// The limit leaves space for garbage, however large the live heap is and the stacks
// of connections beside it.
func TestLimitFor_LeavesRoom(t *testing.T) {
	t.Parallel()
	for live := int64(0); live < 1<<32; live = 2*live + 1<<20 {
		limit := limitFor(live, 2*live)
		if limit < usualMemory || limit < 2*live+live+live/2 {
			t.Errorf("with %d bytes alive and %d of stacks the limit is %d", live, 2*live, limit)
		}
	}
	_, before := memory()
	const deep = 64 << 10
	var stacks sync.WaitGroup
	end := make(chan struct{})
	for range 256 {
		stacks.Go(func() {
			var held [deep]byte
			<-end
			runtime.KeepAlive(&held)
		})
	}
	for _, after := memory(); after < before+256*deep/2; _, after = memory() {
		runtime.Gosched()
	}
	close(end)
	stacks.Wait()
}
