package importer

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// recordKey identifies a record. A client's client is itself.
type recordKey struct {
	kind       *kind
	client, id uuid.UUID
}

// firstReference is where a file first refers to a record.
type firstReference struct {
	line  int64
	field string
}

// deferredChecks is what can only be checked at the end of the file: references
// to records that come later, slugs that are freed later, deletes whose
// referrers are deleted later. It grows with clients, campaigns, lanes and
// snapshots, not with interviews.
type deferredChecks struct {
	references map[recordKey]firstReference
	// written are the lines that last wrote a record with a slug.
	written map[recordKey]int64
	// deleted are the lines that last deleted a record that may be referred to,
	// unless it was written again.
	deleted map[recordKey]int64
	// rewritten are those that were.
	rewritten map[recordKey]bool
}

func newDeferredChecks() *deferredChecks {
	return &deferredChecks{
		references: map[recordKey]firstReference{},
		written:    map[recordKey]int64{},
		deleted:    map[recordKey]int64{},
		rewritten:  map[recordKey]bool{},
	}
}

func (f *deferredChecks) addReference(to recordKey, line int64, k *kind, field string) {
	if _, known := f.references[to]; !known {
		f.references[to] = firstReference{line: line, field: k.name + "." + field}
	}
}

func (f *deferredChecks) addWritten(t recordKey, line int64) {
	if t.kind.slugged {
		f.written[t] = line
	}
	if _, gone := f.deleted[t]; gone {
		delete(f.deleted, t)
		f.rewritten[t] = true
	}
}

func (f *deferredChecks) addDeleted(t recordKey, line int64) {
	if t.kind.referredTo() {
		f.deleted[t] = line
	}
}

// referredTo says whether records of this kind can be referred to.
func (k *kind) referredTo() bool {
	return k == clientKind || k == campaignKind || k == laneKind || k == snapshotKind
}

// byLine orders keys whose value is their line.
func byLine(line int64) int64 { return line }

// ofKind lists the keys of one kind in the order of their lines.
func ofKind[V any](k *kind, byKey map[recordKey]V, line func(V) int64) []recordKey {
	var keys []recordKey
	for t := range maps.Keys(byKey) {
		if t.kind == k {
			keys = append(keys, t)
		}
	}
	slices.SortFunc(keys, func(a, b recordKey) int {
		return cmp.Or(
			cmp.Compare(line(byKey[a]), line(byKey[b])),
			slices.Compare(a.id[:], b.id[:]),
		)
	})
	return keys
}

// keyArrays are the keys' clients and ids, as query parameters.
func keyArrays(keys []recordKey) ([]uuid.UUID, []uuid.UUID) {
	var clients, ids []uuid.UUID
	for _, t := range keys {
		clients, ids = append(clients, t.client), append(ids, t.id)
	}
	return clients, ids
}
