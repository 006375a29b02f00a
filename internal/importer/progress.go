package importer

import "time"

// progressEvery bounds the rate of progress reports.
const progressEvery = 200 * time.Millisecond

// throttled tells of progress, unless it did so a moment ago; that the work is
// finishing always.
func throttled(tell func(Progress), start time.Time) func(Progress) {
	var last time.Time
	return func(at Progress) {
		if tell == nil || !at.Finishing && time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		at.Elapsed = last.Sub(start)
		tell(at)
	}
}
