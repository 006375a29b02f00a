package importer

import "context"

// pipeline parses on a goroutine of its own, a batch ahead of the writer.
type pipeline struct {
	ctx     context.Context
	batches chan *batch
	// The fields below may be read once batches is closed.
	deferred *deferredChecks
	at       Progress
	warnings []*LineError
	err      error
}

func newPipeline(ctx context.Context) *pipeline {
	return &pipeline{
		ctx:     ctx,
		batches: make(chan *batch, 1),
	}
}

func (p *pipeline) parse(in *files, o Options, replacing *replacing) {
	defer close(p.batches)
	d := newDecoder(p.send)
	d.expectLines, d.withKeys, d.replacing = o.ExpectLines, o.WithKeys, replacing
	p.err = d.file(in)
	p.at, p.deferred, p.warnings = d.at, d.deferred, d.warnings
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
