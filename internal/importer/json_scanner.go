package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
)

// maxDepth bounds how deep a line may nest, well below what PostgreSQL's own
// parser has a stack for.
const maxDepth = 256

// jsonType is the type of a JSON value.
type jsonType byte

const (
	jsonInvalid jsonType = iota
	jsonNull
	jsonBool
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// value is one JSON value, as a slice of the line.
type value struct {
	typ jsonType
	// text is the value as it stands in the line; a string's without quotes.
	text []byte
	// unstorable is the first thing inside that JSON allows and PostgreSQL does not.
	unstorable string
}

// jsonScanner checks JSON syntax in one pass over a line and builds nothing. What it
// accepts as storable, PostgreSQL accepts as jsonb.
type jsonScanner struct {
	text  []byte
	at    int
	depth int
	// unstorable is the first reason found, as in value.
	unstorable string
	// grows is by how much the text is longer with its numbers written out, as the
	// database does: a line of 16 MiB could become 1 GB. It is counted from where it
	// was set to 0.
	grows int
	// reason is why the scan stopped.
	reason string
}

// syntaxError says why the scan stopped.
func (s *jsonScanner) syntaxError() string {
	return fmt.Sprintf("is not valid JSON: %s at byte %d", s.reason, s.at+1)
}

func (s *jsonScanner) fail(wrong string) jsonType {
	s.reason = wrong
	return jsonInvalid
}

// unexpected fails at a byte that cannot stand here.
func (s *jsonScanner) unexpected(expected string) jsonType {
	if s.at >= len(s.text) {
		return s.fail("it ends where " + expected + " should be")
	}
	return s.fail("expected " + expected)
}

// peek is the next byte, NUL at the end: no token starts with one.
func (s *jsonScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *jsonScanner) space() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = s.peek() {
		s.at++
	}
}

func (s *jsonScanner) value() jsonType {
	switch c := s.peek(); {
	case c == '"':
		return s.string()
	case c == '{':
		return s.members(jsonObject, nil)
	case c == '[':
		return s.members(jsonArray, nil)
	case c == 't':
		return s.literal("true", jsonBool)
	case c == 'f':
		return s.literal("false", jsonBool)
	case c == 'n':
		return s.literal("null", jsonNull)
	case c == '-', isDigit(c):
		return s.number()
	}
	return s.unexpected("a value")
}

func (s *jsonScanner) literal(word string, is jsonType) jsonType {
	if !bytes.HasPrefix(s.text[s.at:], []byte(word)) {
		return s.unexpected("a value")
	}
	s.at += len(word)
	return is
}

// members scans an object or a list and shows its members to each, unless that is nil,
// until that returns false. Those of a list have no names.
func (s *jsonScanner) members(is jsonType, each func(name, v value) bool) jsonType {
	end, expected := byte('}'), "a comma or the object's end"
	if is == jsonArray {
		end, expected = ']', "a comma or the list's end"
	}
	if s.depth++; s.depth > maxDepth {
		return s.fail(fmt.Sprintf("it nests deeper than %d levels", maxDepth))
	}
	s.at++
	s.space()
	if s.peek() == end {
		s.at++
		s.depth--
		return is
	}
	var name value
	for {
		if is == jsonObject {
			if s.peek() != '"' {
				return s.unexpected("a field name in quotes")
			}
			if name = s.scan(); name.typ == jsonInvalid {
				return jsonInvalid
			}
			s.space()
			if s.peek() != ':' {
				return s.unexpected("a colon")
			}
			s.at++
			s.space()
		}
		v := s.scan()
		if v.typ == jsonInvalid || each != nil && !each(name, v) {
			return jsonInvalid
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case end:
			s.at++
			s.depth--
			return is
		default:
			return s.unexpected(expected)
		}
	}
}

// scan scans a value. What in it is unstorable counts for the value around it too.
func (s *jsonScanner) scan() value {
	start, outer := s.at, s.unstorable
	s.unstorable = ""
	is := s.value()
	v := value{typ: is, text: s.text[start:s.at], unstorable: s.unstorable}
	if is == jsonString {
		v.text = s.text[start+1 : s.at-1]
	}
	s.unstorable = cmp.Or(outer, v.unstorable)
	return v
}

// elements are those of a list that was scanned before, with their places.
func elements(list value) iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		s := jsonScanner{text: list.text}
		at := -1
		s.members(jsonArray, func(_, v value) bool { at++; return yield(at, v) })
	}
}

// member is an object's of a name. Of one that is given twice, jsonb keeps the last.
func member(object value, name string) value {
	var last value
	for n, v := range members(object) {
		if string(unescaped(n)) == name {
			last = v
		}
	}
	return last
}

// members are those of an object that was scanned before.
func members(object value) iter.Seq2[value, value] {
	return func(yield func(name, v value) bool) {
		s := jsonScanner{text: object.text}
		s.members(jsonObject, yield)
	}
}
