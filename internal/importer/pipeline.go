package importer

import (
	"context"
	"time"
)

// pipeline parses on a goroutine of its own, a batch ahead of the writer.
type pipeline struct {
	ctx     context.Context
	batches chan *batch
	// The fields below may be read once batches is closed.
	decoder *decoder
	err     error
}

func (p *pipeline) parse(sources []Source, o Options, replacing *replacing) {
	defer close(p.batches)
	p.decoder = newDecoder(p.send)
	p.decoder.options, p.decoder.replacing = o, replacing
	p.err = p.decoder.file(p.ctx, sources)
}

// next is the next batch, nil at the end of a good file.
func (p *pipeline) next() (*batch, error) {
	select {
	case b, more := <-p.batches:
		if !more {
			return nil, p.err
		}
		return b, nil
	case <-p.ctx.Done():
		// The parser may sit in a Read that never returns.
		return nil, interrupted(p.ctx)
	}
}

func (p *pipeline) send(b *batch) error {
	select {
	case p.batches <- b:
		return nil
	case <-p.ctx.Done():
		return interrupted(p.ctx)
	}
}

// progressEvery bounds the rate of progress reports.
const progressEvery = 200 * time.Millisecond

// throttled reports progress, unless it did so a moment ago; that the work is finishing
// always.
func throttled(report func(Progress), start time.Time) func(Progress) {
	var last time.Time
	return func(at Progress) {
		if report == nil || !at.Finishing && time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		at.Elapsed = last.Sub(start)
		report(at)
	}
}
