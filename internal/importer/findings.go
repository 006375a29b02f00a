package importer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// target is a record that others may refer to. A client is its own client.
type target struct {
	kind       *kind
	client, id uuid.UUID
}

// mention is where a file first refers to a target.
type mention struct {
	line  int64
	field string
}

// findings is what can only be judged when the whole file is in: references to
// records that come later, slugs that are freed later, deletes whose referrers
// are deleted later. It grows with clients, campaigns, lanes and saved bases,
// not with interviews.
type findings struct {
	references map[target]mention
	// written are the lines that last wrote a record with a slug.
	written map[target]int64
	// deleted are the lines that last deleted a record that may be referred to,
	// unless it was written again.
	deleted map[target]int64
	// revived are those that were.
	revived map[target]bool
}

func newFindings() *findings {
	return &findings{
		references: map[target]mention{},
		written:    map[target]int64{},
		deleted:    map[target]int64{},
		revived:    map[target]bool{},
	}
}

func (f *findings) refer(to target, line int64, k *kind, field string) {
	if _, known := f.references[to]; !known {
		f.references[to] = mention{line: line, field: k.name + "." + field}
	}
}

func (f *findings) wrote(t target, line int64) {
	if t.kind.slugged {
		f.written[t] = line
	}
	if _, gone := f.deleted[t]; gone {
		delete(f.deleted, t)
		f.revived[t] = true
	}
}

func (f *findings) removed(t target, line int64) {
	if t.kind.referredTo() {
		f.deleted[t] = line
	}
}

// referredTo says whether records of this kind can be referred to.
func (k *kind) referredTo() bool {
	return k == clientKind || k == campaignKind || k == laneKind || k == snapshotKind
}

// byLine orders findings that are lines.
func byLine(line int64) int64 { return line }

// ofKind lists the targets of one kind in the order of their lines.
func ofKind[V any](k *kind, found map[target]V, line func(V) int64) []target {
	var targets []target
	for t := range maps.Keys(found) {
		if t.kind == k {
			targets = append(targets, t)
		}
	}
	slices.SortFunc(targets, func(a, b target) int {
		return cmp.Or(
			cmp.Compare(line(found[a]), line(found[b])),
			slices.Compare(a.id[:], b.id[:]),
		)
	})
	return targets
}

// targetArrays are the targets' clients and ids.
func targetArrays(targets []target) ([][16]byte, [][16]byte) {
	var clients, ids [][16]byte
	for _, t := range targets {
		clients, ids = append(clients, t.client), append(ids, t.id)
	}
	return clients, ids
}
