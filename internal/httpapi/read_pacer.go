package httpapi

import (
	"runtime"
	"sync"
	"time"
)

const (
	pacerInterval = time.Millisecond
	// readsPerInterval is how many reads begin per interval and processor: less than half
	// of its time, if requests are short.
	readsPerInterval = 6
	// maxCatchUp bounds, in intervals, how many begin at once after a late tick.
	maxCatchUp = 8
	// oldestOneIn lets the read that has waited longest go first every third time.
	oldestOneIn = 3
)

// readPacer limits how many reads of request bytes begin in each millisecond: all reads
// on connections without an admitted request, and full 4 KiB reads on any. Otherwise
// thousands of requests that arrive together delay everything that becomes ready after
// them. The newest waiting read goes first, as it most likely belongs to another client;
// every third time the oldest goes first.
type readPacer struct {
	perInterval int

	mu       sync.Mutex
	free     int // of this interval
	released int // of those that waited
	ticking  bool
	lastTick time.Time
	waiting  []chan struct{} // the newest last
}

func newReadPacer() *readPacer {
	n := readsPerInterval * runtime.GOMAXPROCS(0)
	return &readPacer{perInterval: n, free: n}
}

// await waits until a read may begin.
func (p *readPacer) await() {
	if released := p.enter(); released != nil {
		<-released
	}
}

// enter returns what is closed when the read may begin; nil: at once.
func (p *readPacer) enter() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ticking {
		p.ticking, p.lastTick = true, time.Now()
		time.AfterFunc(pacerInterval, p.tick)
	}
	if p.free > 0 {
		p.free--
		return nil
	}
	released := make(chan struct{})
	p.waiting = append(p.waiting, released)
	return released
}

// tick releases the reads of the intervals since the last tick. It yields first, so that
// it runs after the goroutines in the runtime's global queue, where responses of the
// database and the network become ready: while a processor's own queue, which released
// reads fill, is not empty, it takes only one goroutine in 61 from the global one.
func (p *readPacer) tick() {
	runtime.Gosched()
	p.mu.Lock()
	defer p.mu.Unlock()
	intervals := int(time.Since(p.lastTick) / pacerInterval)
	p.free, p.lastTick = p.perInterval*min(max(intervals, 1), maxCatchUp), time.Now()
	for ; p.free > 0 && len(p.waiting) > 0; p.free-- {
		close(p.next())
	}
	p.free = min(p.free, p.perInterval)
	if p.ticking = p.free < p.perInterval; p.ticking {
		time.AfterFunc(pacerInterval, p.tick)
	}
}

func (p *readPacer) next() chan struct{} {
	at := len(p.waiting) - 1
	if p.released++; p.released%oldestOneIn == 0 {
		at = 0
	}
	next := p.waiting[at]
	if at == 0 {
		p.waiting = p.waiting[1:]
	} else {
		p.waiting = p.waiting[:at]
	}
	return next
}
