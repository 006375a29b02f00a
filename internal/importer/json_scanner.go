package importer

import (
	"bytes"
	"cmp"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/segmentio/encoding/json"
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
	// text is the value as it is in the line; a string's without quotes.
	text []byte
	// unstorable is the first thing inside that JSON allows and PostgreSQL does not.
	unstorable string
}

// jsonScanner takes JSON apart in one pass and builds nothing. It relies on valid syntax,
// which checkJSON checks afterwards; of any other bytes its values mean nothing. Valid
// JSON without anything unstorable PostgreSQL accepts as jsonb.
type jsonScanner struct {
	text  []byte
	at    int
	depth int
	// tooDeep is where the text nests deeper than maxDepth, from 1; nothing is read after it.
	tooDeep int
	// unstorable is the first reason found, as in value.
	unstorable string
	// grows is how much longer the text becomes when PostgreSQL writes its numbers
	// without exponents: a line of 16 MiB could become 1 GB. It is counted from where it
	// was set to 0.
	grows int
}

// checkJSON returns why the scanned text is not valid JSON, or nothing. json.Valid calls
// itself for each level, so it sees no text that nests too deep.
func (s *jsonScanner) checkJSON() string {
	const invalid = "is not valid JSON: %s at byte %d"
	if s.tooDeep > 0 {
		return fmt.Sprintf(invalid, fmt.Sprintf("it nests deeper than %d levels", maxDepth), s.tooDeep)
	}
	if json.Valid(s.text) {
		return ""
	}
	var text stdjson.RawMessage
	if wrong, ok := errors.AsType[*stdjson.SyntaxError](stdjson.Unmarshal(s.text, &text)); ok {
		return fmt.Sprintf(invalid, wrong.Error(), wrong.Offset)
	}
	return ""
}

// peek is the next byte, NUL at the end: no value starts with one.
func (s *jsonScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// skip goes on to the next value, name or end.
func (s *jsonScanner) skip() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ':'; c = s.peek() {
		s.at++
	}
}

// value scans a value. Those in it are shown to each, as members has it.
func (s *jsonScanner) value(each func(name, v value) bool) jsonType {
	switch c := s.peek(); c {
	case '"':
		s.string()
		return jsonString
	case '{', '[':
		s.members(each)
		if c == '[' {
			return jsonArray
		}
		return jsonObject
	case 't', 'n':
		s.at = min(s.at+len("true"), len(s.text))
		if c == 'n' {
			return jsonNull
		}
		return jsonBool
	case 'f':
		s.at = min(s.at+len("false"), len(s.text))
		return jsonBool
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.number()
		return jsonNumber
	}
	s.at = min(s.at+1, len(s.text))
	return jsonInvalid
}

// members scans an object or list and calls each, unless nil, for its members until it
// returns false; a list's members have no names.
func (s *jsonScanner) members(each func(name, v value) bool) {
	hasNames := s.peek() == '{'
	if s.depth++; s.depth > maxDepth && s.tooDeep == 0 {
		s.tooDeep, s.at = s.at+1, len(s.text)
	}
	s.at = min(s.at+1, len(s.text))
	for s.skip(); s.at < len(s.text) && s.peek() != '}' && s.peek() != ']'; s.skip() {
		if each == nil {
			s.value(nil) // or a name
			continue
		}
		var name value
		if hasNames {
			name = s.scan()
			s.skip()
		}
		if !each(name, s.scan()) {
			return
		}
	}
	s.at = min(s.at+1, len(s.text))
	s.depth--
}

// scan scans a value. What in it is unstorable counts for the value around it too.
func (s *jsonScanner) scan() value {
	start, outer := s.at, s.unstorable
	s.unstorable = ""
	is := s.value(nil)
	v := value{typ: is, text: s.text[start:s.at], unstorable: s.unstorable}
	if is == jsonString {
		v.text = v.text[1:max(1, len(v.text)-1)]
	}
	s.unstorable = cmp.Or(outer, v.unstorable)
	return v
}

// elements are those of a list that was scanned before, with their places.
func elements(list value) iter.Seq2[int, value] {
	return func(yield func(int, value) bool) {
		at := -1
		for _, v := range members(list) {
			if at++; !yield(at, v) {
				return
			}
		}
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

// members are those of an object or list that was scanned before.
func members(of value) iter.Seq2[value, value] {
	return func(yield func(name, v value) bool) {
		s := jsonScanner{text: of.text}
		s.members(yield)
	}
}

// unescaped is a scanned string with its escapes undone. It may share the line's memory.
func unescaped(v value) []byte {
	if !bytes.Contains(v.text, []byte{'\\'}) {
		return v.text
	}
	var text string
	_ = stdjson.Unmarshal(slices.Concat([]byte{'"'}, v.text, []byte{'"'}), &text) // scanned before
	return []byte(text)
}
