package importer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// staged are the columns of import_lines that are written: those that every line fills, then
// those of every kind, each name once.
var staged = func() []string {
	names := []string{"line", "kind", "client_id", "id", "deletes"}
	for _, k := range allKinds {
		for _, c := range k.columns {
			if !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
	}
	return names
}()

// stagedAt is where each of them is.
var stagedAt = func() map[string]int {
	at := map[string]int{}
	for i, name := range staged {
		at[name] = i
	}
	return at
}()

// decoder turns lines into rows of import_lines, as pgx.CopyFromSource.
type decoder struct {
	lines     *lineReader
	options   Options
	replacing *replacing
	record    record
	row       []any
	// counts are the lines by kind.
	counts map[*kind]int64
	// records counts the lines that are neither blank nor the trailer, passedOver those of
	// clients and kinds that are not asked for.
	records, passedOver int64
	hasTrailer          bool
	warnings            []*LineError
	// bad lines are the import's error, unless so many are set aside.
	bad LineErrors
	// isClientBad is set when a client's own line is one of them.
	isClientBad bool
	err         error
}

func newDecoder(ctx context.Context, o Options, sources []Source) *decoder {
	return &decoder{lines: newLineReader(ctx, sources, o.WithKeys), options: o, row: make([]any, len(staged)), counts: map[*kind]int64{}}
}

// Next reads to the next line that is a row. After more bad lines than are set aside it
// reads on to find others, and gives no more rows.
func (d *decoder) Next() bool {
	for {
		isRow, err := d.next()
		bad, isBad := errors.AsType[*LineError](err)
		if isBad {
			d.addBad(bad)
		}
		isGood := d.mayGoOn(false)
		switch {
		// Where a line that is too long ends is not known.
		case isEnd(err), !isGood && len(d.bad) >= maxLineErrors, isBad && bad.Reason == lineTooLong:
			d.err = d.checkWhole()
			return false
		case err != nil && !isBad:
			d.err = err
			return false
		case isRow && !isBad && isGood:
			return true
		}
	}
}

// addBad remembers bad lines.
func (d *decoder) addBad(bad ...*LineError) {
	d.bad = append(d.bad, bad...)
	for _, b := range bad {
		d.isClientBad = d.isClientBad || b.Kind == clientKind.name
	}
}

// mayGoOn reports whether the bad lines can be set aside. A client's own cannot: all of its
// records would go with it.
func (d *decoder) mayGoOn(isEnd bool) bool {
	return len(d.bad) == 0 || !d.isClientBad && d.options.MaxBad.allowsBad(int64(len(d.bad)), d.records, isEnd)
}

// Values is the row that Next found, in the order of staged.
func (d *decoder) Values() ([]any, error) { return d.row, nil }

// Err is why there are no more rows, nil at the end of a good input.
func (d *decoder) Err() error { return d.err }

// next reads a line, and reports whether it is a row; io.EOF ends the input.
func (d *decoder) next() (bool, error) {
	text, err := d.lines.next()
	if err != nil {
		return false, err
	}
	d.report(false)
	if d.isOfOther(text) {
		d.passedOver++
		return false, nil
	}
	if isRecord, err := d.parse(text); err != nil || !isRecord {
		return false, err
	}
	r := &d.record
	if d.isNotAskedFor() {
		d.records--
		d.passedOver++
		return false, nil
	}
	d.counts[r.kind]++
	switch {
	case r.kind.ofKeys() && (!d.options.WithKeys || r.delete):
		return false, r.refuse("kind", r.kind.name+" is accepted only with --with-keys, and without op")
	case r.delete && d.replacing != nil:
		return false, r.refuse("op", "must be left out: an input that replaces a client's records removes what it does not hold")
	case r.delete:
		return true, d.delete()
	}
	return true, d.write()
}

// isNotAskedFor reports whether a record is another client's, or of a kind that is not
// replaced, where only one client is read.
func (d *decoder) isNotAskedFor() bool {
	r := &d.record
	return d.options.Only != uuid.Nil && (!strings.EqualFold(r.text(r.kind.columns[0].field), d.options.Only.String()) ||
		r.kind != clientKind && !slices.Contains(d.replacing.kinds, r.kind))
}

// parse takes a line apart, and reports whether it is a record: neither blank nor the trailer.
func (d *decoder) parse(text []byte) (bool, error) {
	if len(bytes.TrimLeft(text, " \t\r")) == 0 {
		return false, nil
	}
	r := &d.record
	*r = record{at: d.lines.locate(d.lines.lines), line: text, fields: r.fields[:0]}
	if err := r.parse(); err != nil {
		return false, err
	}
	switch {
	case d.hasTrailer:
		return false, r.refuse("", "must not follow the trailer")
	case r.kind == trailerKind:
		return false, d.endLine()
	}
	d.records++
	return true, nil
}

// isOfOther reports whether a line names no client that is read. The trailer, and blank
// lines, are no client's.
func (d *decoder) isOfOther(text []byte) bool {
	return d.options.Only != uuid.Nil && bytes.Contains(text, []byte("client")) &&
		!bytes.Contains(bytes.ToLower(text), []byte(d.options.Only.String()))
}

func (d *decoder) report(finishing bool) {
	if d.options.Progress != nil {
		d.options.Progress(Progress{Lines: d.lines.lines, Bytes: d.lines.bytes, Finishing: finishing})
	}
}

// set fills in a column of the row.
func (d *decoder) set(column string, value any) { d.row[stagedAt[column]] = value }

// get is what the row has in a column.
func (d *decoder) get(column string) any { return d.row[stagedAt[column]] }

func (d *decoder) write() error {
	r := &d.record
	if err := d.read(r.kind.withArticle, r.kind.columns); err != nil {
		return err
	}
	switch r.kind {
	case clientKind:
		d.set("client_id", d.get("id"))
		if d.get("measurement_mode") == "canonical" && d.get("measurement_contract_version") == nil {
			return r.refuse("client.measurement_contract_version",
				"must be a string that is not empty when measurement_mode is canonical, such as canonical_measurement.v1")
		}
	case campaignKind:
		d.warnOfCampaign()
	case requestLogKind:
		// They have no id. The database tells them apart.
		var id uuid.UUID
		binary.BigEndian.PutUint64(id[:], uint64(d.lines.lines))
		d.set("id", id)
	}
	client := d.get("client_id").(uuid.UUID)
	if !d.replacing.accepts(client) {
		return r.refuse(r.kind.name+"."+r.kind.columns[0].field, "must be a client whose records are replaced, not "+client.String())
	}
	return nil
}

// read fills the row with the record's fields, those of columns.
func (d *decoder) read(of string, columns []column) error {
	values, err := d.record.byColumn(of, columns)
	if err != nil {
		return err
	}
	clear(d.row)
	d.set("line", d.lines.lines)
	d.set("kind", d.record.kind.name)
	d.set("deletes", d.record.delete)
	for i, c := range columns {
		made, err := d.record.read(c, values[i])
		if err != nil {
			return err
		}
		d.set(c.name, made)
	}
	return nil
}

// delete decodes a line that deletes a record: kind, id and client_id, which for a client
// may be left out.
func (d *decoder) delete() error {
	client := requiredField("client_id", uuidType)
	if d.record.kind == clientKind {
		client.presence = nullable
	}
	if err := d.read("a delete", []column{client, requiredField("id", uuidType)}); err != nil {
		return err
	}
	switch {
	case d.get("client_id") == nil:
		d.set("client_id", d.get("id"))
	case d.record.kind == clientKind && d.get("client_id") != d.get("id"):
		return d.record.refuse("client.client_id", "must be the client's own id or left out")
	}
	return nil
}

// warnOfCampaign notes what the database can hold and readers of a campaign
// cannot tell apart.
func (d *decoder) warnOfCampaign() {
	if d.get("slug") == "uncategorized" {
		d.warn("campaign.slug", `"uncategorized" is what analytics calls interviews without a campaign: the two cannot be told apart`)
	}
	questions, _ := d.get("key_questions").([]byte)
	seen := map[string]bool{}
	_ = each(questions, func(at string, question jsontext.Value) *problem {
		if question.Kind() != '{' {
			return nil
		}
		return each(question, func(name string, v jsontext.Value) *problem {
			if id := unquoted(v); name == "id" && seen[id] {
				d.warn("campaign.key_questions"+at+".id", `"`+shorten(id)+`" is the id of an earlier question of the campaign`)
			} else if name == "id" {
				seen[id] = true
			}
			return nil
		})
	})
}

func (d *decoder) warn(field, reason string) {
	if len(d.warnings) < maxLineErrors {
		d.warnings = append(d.warnings, d.record.refuse(field, reason))
	}
}
