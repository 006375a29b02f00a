package importer

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/google/uuid"
)

// A batch is closed at either bound. Both keep the transition tables of the
// membership's triggers in memory.
const (
	batchRows  = 5000
	batchBytes = 4 << 20
	// The first batch is small: the database waits for it. Each full one doubles the next.
	firstBatchRows = 500
)

// row is one record of a batch: its line, its identity and its place in copy.
type row struct {
	at         location
	client, id uuid.UUID
	start, end int
	// campaign is an interview's; see campaign_live.go.
	campaign    uuid.UUID
	hasCampaign bool
	// createdAt is an interview's, as PostgreSQL counts.
	createdAt int64
	replaced  bool
}

// batch is the records of one kind that are written together: rows as binary
// COPY wants them, and deletes. An id is in one of the two, once.
type batch struct {
	kind    *kind
	copy    []byte
	rows    []row
	deletes []row
	// written and deleted count lines, repeated ids included.
	written, deleted int64
	positions        map[uuid.UUID]position
	// at is how far the file was read when the batch was closed.
	at Progress
}

// position is where an id is in a batch, and whose it is.
type position struct {
	at      int
	deleted bool
	client  uuid.UUID
}

var (
	copyHeader  = []byte("PGCOPY\n\xff\r\n\x00" + "\x00\x00\x00\x00" + "\x00\x00\x00\x00")
	copyTrailer = []byte{0xff, 0xff}
)

func newBatch(k *kind) *batch {
	return &batch{kind: k, copy: bytes.Clone(copyHeader), positions: map[uuid.UUID]position{}}
}

// accepts reports whether a record of this id may join the batch: an id that the
// batch writes may be written again but not deleted, and the other way round. A
// client's line may omit its mode, so a second line does not replace the first.
func (b *batch) accepts(id uuid.UUID, deletes bool) bool {
	p, known := b.positions[id]
	return !known || (p.deleted == deletes && b.kind != clientKind)
}

// add records the row that was appended to copy last.
func (b *batch) add(r row) {
	if p, known := b.positions[r.id]; known {
		b.rows[p.at].replaced = true
	}
	b.positions[r.id] = position{at: len(b.rows), client: r.client}
	b.rows = append(b.rows, r)
	b.written++
}

func (b *batch) addDelete(r row) {
	b.deleted++
	if _, known := b.positions[r.id]; known {
		return
	}
	b.positions[r.id] = position{at: len(b.deletes), deleted: true, client: r.client}
	b.deletes = append(b.deletes, r)
}

// close drops the rows that a later line replaced and ends the COPY stream.
// Interviews are ordered as three of their indexes are: each row is then added to the
// pages that the row before it wrote, which saves a third of the database's work.
func (b *batch) close(at Progress) {
	b.at = at
	b.rows = slices.DeleteFunc(b.rows, func(r row) bool { return r.replaced })
	inOrder := make([]*row, len(b.rows))
	for i := range b.rows {
		inOrder[i] = &b.rows[i]
	}
	if b.kind == interviewKind {
		slices.SortFunc(inOrder, func(x, y *row) int {
			return cmp.Or(bytes.Compare(x.client[:], y.client[:]), cmp.Compare(y.createdAt, x.createdAt), bytes.Compare(x.id[:], y.id[:]))
		})
	}
	unordered := b.copy
	b.copy = append(make([]byte, 0, len(unordered)+len(copyTrailer)), copyHeader...)
	for _, r := range inOrder {
		start := len(b.copy)
		b.copy = append(b.copy, unordered[r.start:r.end]...)
		r.start, r.end = start, len(b.copy)
	}
	b.copy = append(b.copy, copyTrailer...)
}

// copyOfIdentities is the rows' clients and ids, as binary COPY wants them.
func (b *batch) copyOfIdentities() []byte {
	out := append(make([]byte, 0, len(copyHeader)+len(b.rows)*(2+2*(4+16))+len(copyTrailer)), copyHeader...)
	for _, r := range b.rows {
		out = append(out, 0, 2, 0, 0, 0, 16)
		out = append(out, r.client[:]...)
		out = append(out, 0, 0, 0, 16)
		out = append(out, r.id[:]...)
	}
	return append(out, copyTrailer...)
}

// identities are the rows' clients and ids, as query parameters.
func identities(rows []row) ([]uuid.UUID, []uuid.UUID) {
	clients, ids := make([]uuid.UUID, len(rows)), make([]uuid.UUID, len(rows))
	for i, r := range rows {
		clients[i], ids[i] = r.client, r.id
	}
	return clients, ids
}
