package importer

import (
	"context"

	"github.com/google/uuid"
)

// SourceClient is a client as a source lists it.
type SourceClient struct {
	// Key is what the source itself calls it.
	Key string
	// ID is zero where Problem says why there is none.
	ID      uuid.UUID
	Problem string
	// Slug is what it is called: the source's slug, or what it has in its place.
	Slug string
	// Line is its own record.
	Line string
}

// ClientsOf reads all of the sources, which must be whole, and lists the clients of which
// they hold a line. A line of which it cannot be told whose it is, is an error.
func ClientsOf(ctx context.Context, sources []Source) ([]SourceClient, error) {
	d := newDecoder(ctx, Options{}, sources)
	defer func() { _ = d.lines.in.Close() }() // it may be closed already
	var found []SourceClient
	at := map[uuid.UUID]int{}
	for {
		text, err := d.lines.next()
		if isEnd(err) {
			return found, d.checkWhole()
		}
		if err != nil {
			return nil, err
		}
		if isRecord, err := d.parse(text); err != nil {
			return nil, err
		} else if !isRecord {
			continue
		}
		r := &d.record
		id, ok := parseUUID([]byte(r.text(r.kind.columns[0].field)))
		if !ok {
			return nil, r.refuse(r.kind.name+"."+r.kind.columns[0].field, "must be "+uuidType.description)
		}
		if _, known := at[id]; !known {
			at[id] = len(found)
			found = append(found, SourceClient{ID: id, Slug: id.String()})
		}
		if slug := r.text("slug"); r.kind == clientKind && slug != "" {
			found[at[id]].Slug = slug
		}
	}
}
