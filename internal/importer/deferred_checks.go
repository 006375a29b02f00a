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

// place is where a file names a record.
type place struct {
	location
	field string
}

func (p place) refuse(reason string) *LineError { return p.location.refuse(p.field, reason) }

// deferredChecks is what can only be checked at the end of the file: references
// to records that come later, slugs that are freed later, deletes whose
// referrers are deleted later. It grows with clients, campaigns, lanes and
// snapshots, not with interviews.
type deferredChecks struct {
	// references are where a record is first referred to.
	references map[recordKey]place
	// written are the slugs in the lines that last wrote a record with one.
	written map[recordKey]place
	// deleted are the lines that last deleted a record that may be referred to,
	// unless it was written again.
	deleted map[recordKey]place
	// rewritten are those that were.
	rewritten map[recordKey]bool
}

func (f *deferredChecks) addReference(to recordKey, at location, k *kind, field string) {
	if _, known := f.references[to]; !known {
		f.references[to] = place{at, k.name + "." + field}
	}
}

func (f *deferredChecks) addWritten(t recordKey, at location) {
	if t.kind.hasSlug {
		f.written[t] = place{at, t.kind.name + ".slug"}
	}
	if _, gone := f.deleted[t]; gone {
		delete(f.deleted, t)
		f.rewritten[t] = true
	}
}

func (f *deferredChecks) addDeleted(t recordKey, at location) {
	switch t.kind {
	case clientKind, campaignKind, laneKind, snapshotKind:
		f.deleted[t] = place{at, t.kind.name + "." + t.kind.idField}
	}
}

// inOrder lists the keys in the order of their lines, those of a line in that of kinds.
func inOrder(places map[recordKey]place) []recordKey {
	return slices.SortedFunc(maps.Keys(places), func(a, b recordKey) int {
		x, y := places[a], places[b]
		if byLine := cmp.Or(cmp.Compare(x.source, y.source), cmp.Compare(x.line, y.line)); byLine != 0 {
			return byLine
		}
		return cmp.Compare(slices.Index(kinds, a.kind), slices.Index(kinds, b.kind))
	})
}

// ofKind are the clients and ids of one kind's keys, as query parameters.
func ofKind(k *kind, keys []recordKey) ([]uuid.UUID, []uuid.UUID) {
	var clients, ids []uuid.UUID
	for _, t := range keys {
		if t.kind == k {
			clients, ids = append(clients, t.client), append(ids, t.id)
		}
	}
	return clients, ids
}
