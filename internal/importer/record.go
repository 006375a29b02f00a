package importer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep a line may nest, well below what PostgreSQL's own
// parser has a stack for.
const maxDepth = 256

// record is a line taken apart, its values still slices of the line.
type record struct {
	at     location
	line   []byte
	fields []field
	kind   *kind
	delete bool
	// size is what the large values take.
	size int
}

type field struct {
	name  string
	value jsontext.Value
	// unstorable is the first thing in the value that JSON allows and an import does not.
	unstorable string
}

// refuse is the error of a field, or of the whole line.
func (r *record) refuse(field, reason string) *LineError {
	e := &LineError{location: r.at, Field: field, Reason: reason}
	if r.kind == nil {
		return e
	}
	uuidOf := func(field string) string {
		id, ok := parseUUID([]byte(r.text(field)))
		if !ok {
			return ""
		}
		return id.String()
	}
	e.identity = identity{Kind: r.kind.name, ClientID: uuidOf("client_id"), ID: cmp.Or(uuidOf(r.kind.idField), uuidOf("id"))}
	return e
}

// text is the text of a field, empty where it is left out or no text.
func (r *record) text(field string) string {
	for _, f := range r.fields {
		if f.name == field {
			return unquoted(f.value)
		}
	}
	return ""
}

// parse reads the whole line, and finds its kind and operation.
func (r *record) parse() error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(r.line))
	err := r.readFields(dec)
	if err == nil {
		return r.findKind()
	}
	if wrong, ok := errors.AsType[*LineError](err); ok {
		return wrong
	}
	_ = r.findKind() // for the path
	return r.explainSyntax(err, dec.InputOffset())
}

func (r *record) readFields(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' && kind != 0 {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		return r.refuse("", "must be a JSON object, not "+typeNames[v.Kind()])
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	mayHoldNUL := bytes.Contains(r.line, []byte(`\u0000`))
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		f := field{name: name.String()}
		if err := r.readValue(dec, &f, mayHoldNUL); err != nil {
			return err
		}
		r.fields = append(r.fields, f)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return r.refuse("", "is not valid JSON: something follows the object")
	}
	return nil
}

// readValue reads a field's value token by token.
func (r *record) readValue(dec *jsontext.Decoder, f *field, mayHoldNUL bool) error {
	text := func(from int64) []byte { return bytes.TrimLeft(r.line[from:dec.InputOffset()], " \t\r\n,:") }
	depth, start, grows := dec.StackDepth(), dec.InputOffset(), 0
	for first := true; first || dec.StackDepth() > depth; first = false {
		before := dec.InputOffset()
		token, err := dec.ReadToken()
		if err != nil {
			return err
		}
		switch token.Kind() {
		case '"':
			if mayHoldNUL && strings.Contains(token.String(), "\x00") {
				f.unstorable = cmp.Or(f.unstorable, unstorableNUL)
			}
		case '0':
			number := text(before)
			digits, length := writtenOut(number)
			if digits > maxDigits {
				f.unstorable = cmp.Or(f.unstorable, unstorableNumber)
			}
			grows += max(0, length-len(number))
		}
		if dec.StackDepth() > maxDepth {
			return fmt.Errorf("it nests deeper than %d levels", maxDepth)
		}
	}
	f.value = text(start)
	if f.value.Kind() == '"' {
		grows = -len(`""`)
	}
	if written := len(f.value) + grows; written > smallValue {
		r.size += written
	}
	if r.size > maxValues {
		f.unstorable = cmp.Or(f.unstorable, unstorableLength)
	}
	return nil
}

// explainSyntax names the field where a line stops being JSON, and leaves out what it holds.
func (r *record) explainSyntax(err error, offset int64) *LineError {
	field, reason := "", err.Error()
	if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		field, _, _ = strings.Cut(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/")
		offset = wrong.ByteOffset
		reason, _, _ = strings.Cut(wrong.Err.Error(), " `")
	}
	if field = shorten(field); field != "" && r.kind != nil {
		field = r.kind.name + "." + field
	}
	return r.refuse(field, fmt.Sprintf("is not valid JSON: %s at byte %d", reason, offset+1))
}

func (r *record) findKind() error {
	for _, f := range r.fields {
		switch f.name {
		case "kind":
			if r.kind = kindNamed(unquoted(f.value)); r.kind == nil {
				return r.refuse("kind", "must be "+kindNames()+", not "+describe(f.value))
			}
		case "op":
			if unquoted(f.value) != "delete" {
				return r.refuse("op", `must be "delete" or left out, not `+describe(f.value))
			}
			r.delete = true
		}
	}
	if r.kind == nil {
		return r.refuse("kind", "is missing: must be "+kindNames())
	}
	return nil
}

// byColumn sorts the fields by columns of a name, nil where one is left out.
func (r *record) byColumn(of string, columns []column) ([]jsontext.Value, error) {
	values := make([]jsontext.Value, len(columns))
	for _, f := range r.fields {
		if f.name == "kind" || f.name == "op" && r.delete {
			continue
		}
		i := slices.IndexFunc(columns, func(c column) bool { return c.field == f.name })
		path := r.kind.name + "." + cmp.Or(shorten(f.name), `""`)
		switch {
		case i < 0:
			return nil, r.refuse(path, fmt.Sprintf("is not a field of %s, which has %s", of, list(fields(columns), "and")))
		case values[i] != nil:
			return nil, r.refuse(path, "is given twice")
		case f.unstorable != "":
			return nil, r.refuse(path, f.unstorable)
		}
		values[i] = f.value
	}
	for i, c := range columns {
		if values[i] == nil && c.presence == required {
			return nil, r.refuse(r.kind.name+"."+c.field, "is missing: must be "+c.typ.description)
		}
	}
	return values, nil
}

// read makes what is written of a column's value, nil for null.
func (r *record) read(c column, v jsontext.Value) (any, error) {
	switch kind := v.Kind(); {
	case v == nil:
		return c.missing, nil
	case kind == 'n' && c.presence == nullable:
		return nil, nil
	case kind != c.typ.json && (kind != 'f' || c.typ.json != 't'):
		return nil, r.refuse(r.kind.name+"."+c.field, c.explain(&problem{got: v}))
	}
	made, p := c.typ.read(v)
	if p != nil {
		return nil, r.refuse(r.kind.name+"."+c.field+p.path, c.explain(p))
	}
	return made, nil
}
