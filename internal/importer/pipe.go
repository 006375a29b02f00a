package importer

import (
	"context"
	"io"
)

// pipe runs the parsing beside the writing, a batch ahead.
type pipe struct {
	ctx     context.Context
	batches chan *batch
	spare   chan *batch
	// What follows is the reader's once batches is closed.
	found *findings
	at    Progress
	err   error
}

func newPipe(ctx context.Context) *pipe {
	return &pipe{
		ctx:     ctx,
		batches: make(chan *batch, 1),
		spare:   make(chan *batch, len(kinds)+2),
	}
}

func (p *pipe) parse(in io.Reader) {
	defer close(p.batches)
	d := newDecoder(p.send, p.newBatch)
	p.err = d.file(in)
	p.at, p.found = d.at, d.found
}

// next is the next batch, nil at the end of a good file.
func (p *pipe) next() (*batch, error) {
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

func (p *pipe) send(b *batch) error {
	select {
	case p.batches <- b:
		return nil
	case <-p.ctx.Done():
		return interrupted(p.ctx)
	}
}

func (p *pipe) newBatch() *batch {
	select {
	case b := <-p.spare:
		return b
	default:
		return newBatch()
	}
}

func (p *pipe) recycle(b *batch) {
	select {
	case p.spare <- b:
	default:
	}
}
