package importer

import "time"

// progressEvery bounds the rate of progress reports.
const progressEvery = 200 * time.Millisecond

type reporter struct {
	tell  func(Progress)
	start time.Time
	last  time.Time
}

func newReporter(tell func(Progress), start time.Time) *reporter {
	return &reporter{tell: tell, start: start}
}

// now reports, unless it did so a moment ago; that the work is finishing always.
func (r *reporter) now(at Progress) {
	if r.tell == nil || !at.Finishing && time.Since(r.last) < progressEvery {
		return
	}
	r.last = time.Now()
	at.Elapsed = r.last.Sub(r.start)
	r.tell(at)
}
