package importer

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// assignColumns sorts the fields by column.
func (d *decoder) assignColumns() error {
	r := &d.record
	clear(d.values[:])
	for _, f := range r.fields {
		if string(f.name) == "kind" {
			continue
		}
		i := r.kind.column(f.name)
		switch {
		case i < 0:
			return r.refuse(r.kind.path(f.name), fmt.Sprintf("is not a field of %s, which has %s", r.kind.withArticle, list(r.kind.fields(), "and")))
		case d.values[i].typ != jsonInvalid:
			return r.refuse(r.kind.path(f.name), "is given twice")
		case f.value.unstorable != "" && f.value.typ != jsonNumber: // a number's type is checked first
			return r.refuse(r.kind.path(f.name), f.value.unstorable)
		}
		d.values[i] = f.value
	}
	for i, c := range r.kind.columns {
		if d.values[i].typ == jsonInvalid && c.presence == required && c.field != "" {
			return r.refuse(r.kind.name+"."+c.field, "is missing: must be "+c.typ.description)
		}
	}
	if r.kind == clientKind {
		return d.checkClient()
	}
	return nil
}

// checkClient refuses a canonical client without a contract version. A client
// that was deleted further up starts over: its mode is not kept.
func (d *decoder) checkClient() error {
	mode := &d.values[clientKind.column([]byte("measurement_mode"))]
	version := d.values[clientKind.column([]byte("measurement_contract_version"))]
	if mode.typ == jsonString && string(unescaped(*mode)) == "canonical" && version.typ <= jsonNull {
		return d.record.refuse("client.measurement_contract_version",
			"must be a string that is not empty when measurement_mode is canonical, such as canonical_measurement.v1")
	}
	if id, ok := parseUUID(unescaped(d.values[0])); ok && mode.typ == jsonInvalid {
		if _, gone := d.deferred.deleted[recordKey{clientKind, id, id}]; gone {
			*mode = value{typ: jsonString, text: []byte("legacy")}
		}
	}
	return nil
}

// identify reads the record's client and id.
func (d *decoder) identify() (row, error) {
	r := &d.record
	client, err := r.uuid(r.kind.columns[0].field, d.values[0])
	if err != nil || r.kind == clientKind {
		return row{at: r.at, client: client, id: client}, err
	}
	id, err := r.uuid(r.kind.idField, d.values[1])
	if r.kind == requestLogKind {
		id = logRowID(id, d.values[2], d.values[3])
	}
	return row{at: r.at, client: client, id: id}, err
}

// appendColumn appends one column of a row, and records what it refers to.
func (d *decoder) appendColumn(dst []byte, i int, to *row) ([]byte, error) {
	k := d.record.kind
	c, v := &k.columns[i], d.values[i]
	switch {
	case v.typ == jsonInvalid && c.missing != nil:
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.missing)))
		return append(dst, c.missing...), nil
	case c.field == "" && to.hasCampaign:
		return append(dst, 0, 0, 0, 1, 0), nil // filled in by the writer
	case v.typ == jsonInvalid, v.typ == jsonNull && c.presence == nullable:
		return append(dst, 0xff, 0xff, 0xff, 0xff), nil
	}
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	p := &problem{got: v}
	if v.typ == c.typ.json {
		dst, p = c.typ.append(dst, v)
	}
	if p != nil {
		return dst, d.record.refuse(k.name+"."+c.field+p.path, c.explain(p))
	}
	if v.unstorable != "" {
		return dst, d.record.refuse(k.name+"."+c.field, v.unstorable)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	if k == interviewKind && c.name == "created_at" {
		to.createdAt = int64(binary.BigEndian.Uint64(dst[start+4:]))
	}
	if c.references != nil {
		referred := uuid.UUID(dst[start+4:])
		d.deferred.addReference(recordKey{c.references, to.client, referred}, to.at, k, c.field)
		if c.references == campaignKind && k == interviewKind {
			to.campaign, to.hasCampaign = referred, true
		}
	}
	return dst, nil
}
