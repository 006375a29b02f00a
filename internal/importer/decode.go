package importer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/google/uuid"
)

// decoder turns lines into rows of batches and hands full batches on.
type decoder struct {
	record record
	// values are the present record's, by column.
	values  [maxFields]value
	open    map[*kind]*batch
	found   *findings
	send    func(*batch) error
	recycle func() *batch
	at      Progress
}

func newDecoder(send func(*batch) error, recycle func() *batch) *decoder {
	return &decoder{open: map[*kind]*batch{}, found: newFindings(), send: send, recycle: recycle}
}

// file takes a whole file in. Blank lines are allowed.
func (d *decoder) file(in io.Reader) error {
	lines := newLineReader(in)
	for {
		text, err := lines.next()
		d.at = Progress{Lines: lines.lines, Bytes: lines.bytes}
		if errors.Is(err, io.EOF) {
			return d.flushAll()
		}
		if err == nil && len(bytes.TrimLeft(text, " \t\r")) > 0 {
			err = d.line(text)
		}
		if err != nil {
			return err
		}
	}
}

// line takes one line in.
func (d *decoder) line(text []byte) error {
	r := &d.record
	if err := r.parse(d.at.Lines, text); err != nil {
		return err
	}
	if r.delete {
		return d.delete()
	}
	return d.put()
}

func (d *decoder) put() error {
	r := &d.record
	if err := d.assign(); err != nil {
		return err
	}
	id, err := d.identify()
	if err != nil {
		return err
	}
	b, err := d.batchFor(id, false)
	if err != nil {
		return err
	}
	id.start = len(b.copy)
	b.copy = binary.BigEndian.AppendUint16(b.copy, uint16(len(r.kind.columns)))
	for i := range r.kind.columns {
		if b.copy, err = d.appendColumn(b.copy, i, &id); err != nil {
			return err
		}
	}
	id.end = len(b.copy)
	b.add(id)
	d.found.wrote(target{r.kind, id.client, id.id}, r.line)
	return d.sendFull(b)
}

// batchFor is the open batch of the record's kind, with room for the id.
func (d *decoder) batchFor(id row, deletes bool) (*batch, error) {
	k := d.record.kind
	b := d.open[k]
	if b != nil && !b.takes(id.id, deletes) {
		if err := d.flush(b); err != nil {
			return nil, err
		}
		b = nil
	}
	if b == nil {
		b = d.recycle()
		b.reset(k)
		d.open[k] = b
	}
	if owner, known := b.owner(id.id); known && owner != id.client {
		return nil, d.record.refuse(k.name+"."+k.idField, ownedReason(id.id, owner))
	}
	return b, nil
}

func ownedReason(id, owner uuid.UUID) string {
	return fmt.Sprintf("%s belongs to client %s for good, also after it was deleted there", id, owner)
}

func (d *decoder) sendFull(b *batch) error {
	if !b.full() {
		return nil
	}
	return d.flush(b)
}

// flush hands a batch on. Campaigns go ahead of interviews, whose liveness
// would have to be guessed and put right otherwise.
func (d *decoder) flush(b *batch) error {
	if campaigns := d.open[campaignKind]; b.kind == interviewKind && campaigns != nil {
		if err := d.flush(campaigns); err != nil {
			return err
		}
	}
	delete(d.open, b.kind)
	b.close(d.at)
	return d.send(b)
}

// flushAll hands on what is left at the end of the file.
func (d *decoder) flushAll() error {
	for _, k := range kinds {
		if b := d.open[k]; b != nil {
			if err := d.flush(b); err != nil {
				return err
			}
		}
	}
	return nil
}
