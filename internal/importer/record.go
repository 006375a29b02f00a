package importer

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxFields is above the number of fields of any kind.
const maxFields = 40

type field struct {
	name  []byte
	value value
}

// record is a line taken apart, its values still slices of the line.
type record struct {
	at     location
	fields []field
	kind   *kind
	delete bool
}

func (r *record) refuse(field, reason string) *LineError {
	return r.at.refuse(field, reason)
}

// parse checks the whole line's syntax and finds its kind and operation.
func (r *record) parse(at location, text []byte) error {
	r.at, r.fields, r.kind, r.delete = at, r.fields[:0], nil, false
	s := jsonScanner{text: text}
	s.skip()
	count, size := 0, 0
	is := s.value(func(name, v value) bool {
		if written := len(v.text) + s.grows; written > smallValue {
			size += written
		}
		s.grows = 0
		switch {
		case !utf8.Valid(v.text):
			v.unstorable = unstorableUTF8
		case size > maxValues && v.unstorable == "":
			v.unstorable = unstorableLength
		}
		if count++; count <= maxFields {
			r.fields = append(r.fields, field{name: unescaped(name), value: v})
		}
		return true
	})
	if invalid := s.checkJSON(); invalid != "" {
		return r.refuse("", invalid)
	}
	if is != jsonObject {
		return r.refuse("", "must be a JSON object, not "+is.String())
	}
	if err := r.findKind(); err != nil {
		return err
	}
	if count > maxFields && r.kind != trailerKind {
		return r.refuse(r.kind.name, fmt.Sprintf("has %d fields; %s has %s", count, r.kind.withArticle, list(r.kind.fields(), "and")))
	}
	return nil
}

func (r *record) findKind() error {
	for _, f := range r.fields {
		switch string(f.name) {
		case "kind":
			if r.kind != nil {
				return r.refuse("kind", "is given twice")
			}
			if f.value.typ == jsonString {
				r.kind = kindNamed(string(unescaped(f.value)))
			}
			if r.kind == nil {
				return r.refuse("kind", "must be "+kindNames()+", not "+describe(f.value))
			}
		case "op":
			if r.delete {
				return r.refuse("op", "is given twice")
			}
			if f.value.typ != jsonString || string(unescaped(f.value)) != "delete" {
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

// only returns the fields by name, and refuses those that of does not have.
func (r *record) only(of string, has ...string) (map[string]value, error) {
	given := map[string]value{}
	for _, f := range r.fields {
		name := string(f.name)
		if name == r.kind.idField {
			name = "id"
		}
		switch {
		case !slices.Contains(has, name):
			return nil, r.refuse(r.kind.path(f.name), fmt.Sprintf("is not a field of %s, which has %s", of, list(has, "and")))
		case given[name].typ != jsonInvalid:
			return nil, r.refuse(r.kind.path(f.name), "is given twice")
		}
		given[name] = f.value
	}
	return given, nil
}

func kindNames() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return list(names, "or")
}
