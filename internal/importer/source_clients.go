package importer

import (
	"context"

	"github.com/google/uuid"
)

// ClientsOf reads all of the sources, which must be whole, and lists the clients of which
// they hold a line. A line that is no JSON, or of no kind, is an error: whose it is cannot
// be told.
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
		if isRecord, err := d.parse(text); err != nil || !isRecord {
			if err != nil {
				return nil, err
			}
			continue
		}
		if d.record.kind != clientKind || d.record.delete {
			continue
		}
		values, err := d.record.byColumn(clientKind.withArticle, clientKind.columns)
		if err != nil {
			return nil, err
		}
		id, ok := parseUUID([]byte(unquoted(values[0])))
		if !ok {
			return nil, d.record.refuse("client.id", "must be "+uuidType.description)
		}
		c := SourceClient{ID: id, Slug: unquoted(values[1]), Name: unquoted(values[2])}
		if i, known := at[id]; known {
			found[i] = c
			continue
		}
		at[id] = len(found)
		found = append(found, c)
	}
}
