package importer

import (
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// assign finds the column of each field.
func (d *decoder) assign() error {
	r := &d.record
	clear(d.values[:])
	for _, f := range r.fields {
		if string(f.name) == "kind" {
			continue
		}
		i := r.kind.column(f.name)
		switch {
		case i < 0:
			return r.refuse(r.kind.path(f.name), fmt.Sprintf("is not a field of %s, which has %s", r.kind.a, list(r.kind.fields(), "and")))
		case d.values[i].shape != broken:
			return r.refuse(r.kind.path(f.name), "is given twice")
		case f.value.flaw != "":
			return r.refuse(r.kind.path(f.name), f.value.flaw)
		}
		d.values[i] = f.value
	}
	for i, c := range r.kind.columns {
		if d.values[i].shape == broken && c.need == required && c.field != "" {
			return r.refuse(r.kind.name+"."+c.field, "is missing: must be "+c.form.says)
		}
	}
	if r.kind == clientKind {
		return d.checkClient()
	}
	return nil
}

// checkClient refuses a canonical client without a contract version. A client
// that was deleted further up starts over: nothing is left as it was.
func (d *decoder) checkClient() error {
	mode := &d.values[clientKind.column([]byte("measurement_mode"))]
	version := d.values[clientKind.column([]byte("measurement_contract_version"))]
	if mode.shape == isString && string(plain(*mode)) == "canonical" && version.shape <= isNull {
		return d.record.refuse("client.measurement_contract_version",
			"must be a string that is not empty when measurement_mode is canonical, such as canonical_measurement.v1")
	}
	if id, ok := parseUUID(plain(d.values[0])); ok && mode.shape == broken {
		if _, gone := d.found.deleted[target{clientKind, id, id}]; gone {
			*mode = value{shape: isString, text: []byte("legacy")}
		}
	}
	return nil
}

// identify reads whose record this is.
func (d *decoder) identify() (row, error) {
	r := &d.record
	if r.kind == clientKind {
		id, err := r.uuid("id", d.values[0])
		return row{line: r.line, client: id, id: id}, err
	}
	client, err := r.uuid("client_id", d.values[0])
	if err != nil {
		return row{}, err
	}
	id, err := r.uuid(r.kind.idField, d.values[1])
	return row{line: r.line, client: client, id: id}, err
}

// appendColumn appends one column of a row, and notes what it refers to.
func (d *decoder) appendColumn(dst []byte, i int, to *row) ([]byte, error) {
	k := d.record.kind
	c, v := &k.columns[i], d.values[i]
	switch {
	case v.shape == broken && c.missing != nil:
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(c.missing)))
		return append(dst, c.missing...), nil
	case c.field == "" && to.hasCampaign:
		return append(dst, 0, 0, 0, 1, 0), nil // filled in by the writer
	case v.shape == broken, v.shape == isNull && c.need == nullable:
		return append(dst, 0xff, 0xff, 0xff, 0xff), nil
	}
	start := len(dst)
	dst, p := c.form.append(append(dst, 0, 0, 0, 0), v)
	if p != nil {
		return dst, d.record.refuse(k.name+"."+c.field+p.path, c.explain(p))
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	if c.refers != nil {
		referred := uuid.UUID(dst[start+4:])
		d.found.refer(target{c.refers, to.client, referred}, to.line, k, c.field)
		if c.refers == campaignKind && k == interviewKind {
			to.campaign, to.hasCampaign = referred, true
		}
	}
	return dst, nil
}
