package importer

import "fmt"

// maxDepth bounds how deep a line may nest, well below what PostgreSQL's own
// parser has a stack for.
const maxDepth = 256

// shape is what a JSON value is.
type shape byte

const (
	broken shape = iota
	isNull
	isBool
	isNumber
	isString
	isList
	isObject
)

// value is one JSON value, as a slice of the line.
type value struct {
	shape shape
	// escaped says that a string holds escapes.
	escaped bool
	// text is the value as it stands in the line; a string's without quotes.
	text []byte
	// flaw is the first thing inside that JSON allows and jsonb or text do not.
	flaw string
}

// scanner checks JSON syntax in one pass over a line and builds nothing. What it
// accepts without a flaw, PostgreSQL accepts as jsonb.
type scanner struct {
	text  []byte
	at    int
	depth int
	// escaped is about the string scanned last.
	escaped bool
	flaw    string
	// wrong is why the scan stopped.
	wrong string
}

// badSyntax is text that is no JSON.
type badSyntax struct {
	at    int
	wrong string
}

func (e *badSyntax) Error() string {
	return fmt.Sprintf("is not valid JSON: %s at byte %d", e.wrong, e.at+1)
}

func (s *scanner) syntaxError() error { return &badSyntax{at: s.at, wrong: s.wrong} }

func (s *scanner) fail(wrong string) shape {
	s.wrong = wrong
	return broken
}

// unexpected fails at a byte that cannot stand here.
func (s *scanner) unexpected(expected string) shape {
	if s.at >= len(s.text) {
		return s.fail("it ends where " + expected + " should be")
	}
	return s.fail("expected " + expected)
}

// note keeps the first flaw.
func (s *scanner) note(flaw string) {
	if s.flaw == "" {
		s.flaw = flaw
	}
}

// peek is the next byte, NUL at the end: no token starts with one.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) value() shape {
	switch c := s.peek(); c {
	case '"':
		return s.str()
	case '{':
		return s.object(nil)
	case '[':
		return s.list(nil)
	case 't':
		return s.word("true", isBool)
	case 'f':
		return s.word("false", isBool)
	case 'n':
		return s.word("null", isNull)
	default:
		if c == '-' || isDigit(c) {
			return s.number()
		}
		return s.unexpected("a value")
	}
}

func (s *scanner) word(word string, is shape) shape {
	if len(s.text)-s.at < len(word) || string(s.text[s.at:s.at+len(word)]) != word {
		return s.unexpected("a value")
	}
	s.at += len(word)
	return is
}

// object scans an object and shows its members to each, unless that is nil.
func (s *scanner) object(each func(name, v value)) shape {
	if s.depth++; s.depth > maxDepth {
		return s.fail(fmt.Sprintf("it nests deeper than %d levels", maxDepth))
	}
	s.at++
	s.space()
	if s.peek() == '}' {
		s.at++
		s.depth--
		return isObject
	}
	for {
		if s.peek() != '"' {
			return s.unexpected("a field name in quotes")
		}
		name := s.take(each != nil)
		if name.shape == broken {
			return broken
		}
		s.space()
		if s.peek() != ':' {
			return s.unexpected("a colon")
		}
		s.at++
		s.space()
		v := s.take(each != nil)
		if v.shape == broken {
			return broken
		}
		if each != nil {
			each(name, v)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case '}':
			s.at++
			s.depth--
			return isObject
		default:
			return s.unexpected("a comma or the object's end")
		}
	}
}

// list scans a list and shows its elements to each, unless that is nil.
func (s *scanner) list(each func(v value)) shape {
	if s.depth++; s.depth > maxDepth {
		return s.fail(fmt.Sprintf("it nests deeper than %d levels", maxDepth))
	}
	s.at++
	s.space()
	if s.peek() == ']' {
		s.at++
		s.depth--
		return isList
	}
	for {
		v := s.take(each != nil)
		if v.shape == broken {
			return broken
		}
		if each != nil {
			each(v)
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case ']':
			s.at++
			s.depth--
			return isList
		default:
			return s.unexpected("a comma or the list's end")
		}
	}
}

// take scans a value; asked to keep it, it says where it stands and what flaw
// is in it, which a value that is only part of another hands to that one.
func (s *scanner) take(keep bool) value {
	if !keep {
		return value{shape: s.value()}
	}
	start, outer := s.at, s.flaw
	s.flaw = ""
	is := s.value()
	v := value{shape: is, text: s.text[start:s.at], flaw: s.flaw}
	if is == isString {
		v.text, v.escaped = s.text[start+1:s.at-1], s.escaped
	}
	s.flaw = outer
	return v
}

// elements shows the elements of a list that was scanned before.
func elements(list value, each func(v value)) {
	s := scanner{text: list.text}
	s.list(each)
}

// members shows the members of an object that was scanned before.
func members(object value, each func(name, v value)) {
	s := scanner{text: object.text}
	s.object(each)
}
