package importer

import (
	"context"

	"github.com/google/uuid"
)

// delete decodes a line that deletes a record.
func (d *decoder) delete() error {
	r := &d.record
	id, err := r.deleteIdentity()
	if err != nil {
		return err
	}
	t := recordKey{r.kind, id.client, id.id}
	if r.kind == clientKind {
		// Deleting a client's row deletes its counters, so it is deleted last, when it
		// has no other records; see deleteClients.
		d.deferred.addDeleted(t, r.at)
		return nil
	}
	b, err := d.batchFor(id, true)
	if err != nil {
		return err
	}
	b.addDelete(id)
	d.deferred.addDeleted(t, r.at)
	return d.sendFull(b)
}

// deleteIdentity reads the fields of a delete: kind, id and client_id, which
// for a client may be left out. A record whose id goes by another name may use it.
func (r *record) deleteIdentity() (row, error) {
	k := r.kind
	given, err := r.only("a delete", "op", "kind", "client_id", "id")
	if err != nil {
		return row{}, err
	}
	id, client := given["id"], given["client_id"]
	found := row{at: r.at}
	if found.id, err = r.uuid("id", id); err != nil {
		return row{}, err
	}
	if k == clientKind && client.typ == jsonInvalid {
		client = id
	}
	if found.client, err = r.uuid("client_id", client); err != nil {
		return row{}, err
	}
	if k == clientKind && found.client != found.id {
		return row{}, r.refuse("client.client_id", "must be the client's own id "+found.id.String()+" or left out, not "+describe(client))
	}
	return found, nil
}

func (r *record) uuid(name string, v value) (uuid.UUID, error) {
	id, ok := parseUUID(unescaped(v))
	switch {
	case v.typ == jsonInvalid:
		return id, r.refuse(r.kind.name+"."+name, "is missing: must be "+uuidType.description)
	case v.typ != jsonString || !ok:
		return id, r.refuse(r.kind.name+"."+name, "must be "+uuidType.description+", not "+describe(v))
	}
	return id, nil
}

// deleteClients deletes the clients that the file deletes, after their last
// record, with their revoked keys and their counters.
func (w *writer) deleteClients(ctx context.Context) error {
	for t := range w.deferred.rewritten {
		if t.kind == clientKind {
			w.count(clientKind).Removed++
		}
	}
	_, ids := ofKind(clientKind, inOrder(w.deferred.deleted))
	if len(ids) == 0 {
		return nil
	}
	if err := w.queries.DeleteRevokedKeys(ctx, ids); err != nil {
		return databaseError(ctx, "deleting keys", err)
	}
	deleted, err := w.queries.DeleteClients(ctx, ids)
	if err != nil {
		return databaseError(ctx, "deleting clients", err)
	}
	w.count(clientKind).Removed += deleted
	w.count(clientKind).Missing += int64(len(ids)) - deleted
	return databaseError(ctx, "deleting clients", w.queries.DeleteMeasurementChanges(ctx, ids))
}
