package httpapi

import (
	"runtime"
	"sync"
	"time"
)

const (
	// arrivalsEach is how many pieces of requests are read in an arrivalInterval for each
	// processor: less than half of its time, where requests are short.
	arrivalInterval = time.Millisecond
	arrivalsEach    = 6
	// maxArrivals bounds, in intervals, what begins at once after a late tick.
	maxArrivals = 8
	// oldestOneIn lets one in so many be the one that has waited longest.
	oldestOneIn = 3
)

// arrivals spreads the beginnings of requests on connections without a key, and large
// heads on all. If
// thousands come at once, whatever is ready after them would wait for them all. The
// newest begins first, as it is the likeliest to come from anybody else.
type arrivals struct {
	each int

	mu      sync.Mutex
	free    int // of this interval
	began   int // in all, of those that waited
	ticking bool
	ticked  time.Time
	waiting []chan struct{} // the newest last
}

func newArrivals() *arrivals {
	each := arrivalsEach * runtime.GOMAXPROCS(0)
	return &arrivals{each: each, free: each}
}

// await waits until a request may begin.
func (a *arrivals) await() {
	if turn := a.enter(); turn != nil {
		<-turn
	}
}

// enter returns nil to a request that may begin at once.
func (a *arrivals) enter() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ticking {
		a.ticking, a.ticked = true, time.Now()
		time.AfterFunc(arrivalInterval, a.tick)
	}
	if a.free > 0 {
		a.free--
		return nil
	}
	turn := make(chan struct{})
	a.waiting = append(a.waiting, turn)
	return turn
}

// tick lets those begin for which there was time since the last one. It goes on when all
// has run that the runtime's global queue holds. Answers of the database and of the
// network wait there, and of 61 turns the queue has one while a processor's own queue,
// which those that begin fill, is not empty.
func (a *arrivals) tick() {
	runtime.Gosched()
	a.mu.Lock()
	defer a.mu.Unlock()
	intervals := int(time.Since(a.ticked) / arrivalInterval)
	a.free, a.ticked = a.each*min(max(intervals, 1), maxArrivals), time.Now()
	for ; a.free > 0 && len(a.waiting) > 0; a.free-- {
		close(a.next())
	}
	a.free = min(a.free, a.each)
	if a.ticking = a.free < a.each; a.ticking {
		time.AfterFunc(arrivalInterval, a.tick)
	}
}

func (a *arrivals) next() chan struct{} {
	at := len(a.waiting) - 1
	if a.began++; a.began%oldestOneIn == 0 {
		at = 0
	}
	turn := a.waiting[at]
	if at == 0 {
		a.waiting = a.waiting[1:]
	} else {
		a.waiting = a.waiting[:at]
	}
	return turn
}
