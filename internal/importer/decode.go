package importer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// decoder turns lines into rows of batches and sends full batches.
type decoder struct {
	record record
	// values are the present record's, by column.
	values [maxFields]value
	open   map[*kind]*batch
	// maxRows is at how many rows a batch is closed.
	maxRows  int
	deferred *deferredChecks
	send     func(*batch) error
	at       Progress
	// records counts the lines that are neither blank nor the trailer.
	records int64
	// hasTrailer is set when the trailer was read.
	hasTrailer bool
	warnings   []*LineError
	options    Options // of the import
	// replacing says whose lines are accepted; nil: everybody's.
	replacing *replacing
}

func newDecoder(send func(*batch) error) *decoder {
	return &decoder{open: map[*kind]*batch{}, maxRows: firstBatchRows, send: send, deferred: &deferredChecks{
		references: map[recordKey]place{}, written: map[recordKey]place{}, deleted: map[recordKey]place{}, rewritten: map[recordKey]bool{},
	}}
}

// file decodes all files. Blank lines are allowed. After a mistake it reads on
// to find others, but sends nothing more.
func (d *decoder) file(ctx context.Context, sources []Source) error {
	lines := newLineReader(ctx, sources)
	defer lines.close()
	var found LineErrors
	for readable := true; readable && len(found) < maxLineErrors; {
		text, err := lines.next()
		d.at = Progress{Lines: lines.lines, Bytes: lines.bytes}
		if isEnd(err) {
			break
		}
		// Where a line that is too long ends is not known.
		readable = err == nil
		if readable && len(bytes.TrimLeft(text, " \t\r")) > 0 {
			err = d.line(lines.at, text)
		}
		if mistake, ok := errors.AsType[*LineError](err); ok {
			found = append(found, mistake)
			d.send = func(*batch) error { return nil }
		} else if err != nil {
			return err
		}
	}
	switch len(found) {
	case 0:
		return d.end()
	case 1:
		return found[0]
	}
	return found
}

// end checks that the file is whole and sends what is left of it.
func (d *decoder) end() error {
	if err := d.checkWhole(); err != nil {
		return err
	}
	for _, k := range allKinds {
		if b := d.open[k]; b != nil {
			if err := d.flush(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// line decodes one line.
func (d *decoder) line(at location, text []byte) error {
	r := &d.record
	if err := r.parse(at, text); err != nil {
		return err
	}
	switch {
	case d.hasTrailer:
		return r.refuse("", "must not follow the trailer")
	case r.kind == trailerKind:
		return d.endLine()
	}
	d.records++
	if r.kind.ofKeys() && (!d.options.WithKeys || r.delete) {
		return r.refuse("kind", r.kind.name+" is accepted only with --with-keys, and without op")
	}
	if r.delete {
		if d.replacing != nil {
			return r.refuse("op", "must be left out: an input that replaces a client's records removes what it does not hold")
		}
		return d.delete()
	}
	return d.write()
}

func (d *decoder) write() error {
	r := &d.record
	if err := d.assignColumns(); err != nil {
		return err
	}
	id, err := d.identify()
	if err != nil {
		return err
	}
	if !d.replacing.accepts(id.client) {
		return r.refuse(r.kind.name+"."+r.kind.columns[0].field, fmt.Sprintf("must be a client whose records are replaced, not %s", id.client))
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
	if r.kind == campaignKind {
		d.warnOfCampaign()
	}
	id.end = len(b.copy)
	b.add(id)
	d.deferred.addWritten(recordKey{r.kind, id.client, id.id}, r.at)
	return d.sendFull(b)
}

// batchFor is the open batch of the record's kind, with room for the id.
func (d *decoder) batchFor(id row, deletes bool) (*batch, error) {
	k := d.record.kind
	b := d.open[k]
	if b != nil && !b.accepts(id.id, deletes) {
		if err := d.flush(b); err != nil {
			return nil, err
		}
		b = nil
	}
	if b == nil {
		b = newBatch(k)
		d.open[k] = b
	}
	if p, known := b.positions[id.id]; known && p.client != id.client {
		return nil, d.record.refuse(k.name+"."+k.idField, ownedReason(id.id, p.client))
	}
	return b, nil
}

func ownedReason(id, owner uuid.UUID) string {
	return fmt.Sprintf("%s belongs to client %s for good, also after it was deleted there", id, owner)
}

func (d *decoder) sendFull(b *batch) error {
	if len(b.rows)+len(b.deletes) < d.maxRows && len(b.copy) < batchBytes {
		return nil
	}
	d.maxRows = min(2*d.maxRows, batchRows)
	return d.flush(b)
}

// flush sends a batch. Campaigns go ahead of interviews, whose campaign_live
// would otherwise have to be assumed and corrected.
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
