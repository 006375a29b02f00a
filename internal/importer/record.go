package importer

import (
	"fmt"
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
	line   int64
	fields []field
	kind   *kind
	delete bool
}

func (r *record) refuse(field, reason string) *LineError {
	return &LineError{Line: r.line, Field: field, Reason: reason}
}

// parse checks the whole line's syntax and finds its kind and what it asks for.
func (r *record) parse(line int64, text []byte) error {
	r.line, r.fields, r.kind, r.delete = line, r.fields[:0], nil, false
	badUTF8 := -1
	if !utf8.Valid(text) {
		badUTF8 = firstBadUTF8(text)
	}
	s := scanner{text: text}
	s.space()
	if s.peek() != '{' {
		return r.notAnObject(&s)
	}
	count := 0
	is := s.object(func(name, v value) {
		if badUTF8 >= 0 && badUTF8 < s.at {
			v.flaw, badUTF8 = flawUTF8, -1
		}
		if count++; count <= maxFields {
			r.fields = append(r.fields, field{name: plain(name), value: v})
		}
	})
	if is == broken {
		return r.refuse("", s.syntaxError().Error())
	}
	s.space()
	if s.at < len(text) {
		return r.refuse("", fmt.Sprintf("must hold one JSON object, more follows at byte %d", s.at+1))
	}
	if err := r.findKind(); err != nil {
		return err
	}
	if count > maxFields {
		return r.refuse(r.kind.name, fmt.Sprintf("has %d fields; %s has %s", count, r.kind.a, list(r.kind.fields(), "and")))
	}
	return nil
}

func firstBadUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

func (r *record) notAnObject(s *scanner) error {
	v := s.take(true)
	if v.shape == broken {
		return r.refuse("", s.syntaxError().Error())
	}
	return r.refuse("", "must be a JSON object, not "+v.shape.String())
}

func (r *record) findKind() error {
	for _, f := range r.fields {
		switch string(f.name) {
		case "kind":
			if r.kind != nil {
				return r.refuse("kind", "is given twice")
			}
			if f.value.shape == isString {
				r.kind = kindNamed(string(plain(f.value)))
			}
			if r.kind == nil {
				return r.refuse("kind", "must be "+kindNames()+", not "+describe(f.value))
			}
		case "op":
			if r.delete {
				return r.refuse("op", "is given twice")
			}
			if f.value.shape != isString || string(plain(f.value)) != "delete" {
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

func kindNames() string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return list(names, "or")
}
