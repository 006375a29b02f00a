package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf16"
)

// What JSON allows and PostgreSQL cannot store.
const (
	unstorableNUL       = `must not hold the NUL character (\u0000)`
	unstorableSurrogate = `must not hold half of a surrogate pair (\ud800 to \udfff)`
	unstorableNumber    = "must not hold a number of more than 400 digits, counted as it is written without an exponent"
	unstorableLength    = "must not bring the line's values of more than 2 KiB to more than 16 MiB, numbers counted as they are written without an exponent"
	unstorableUTF8      = "must be valid UTF-8"
)

// maxDigits bounds a number as PostgreSQL stores and returns it, without an
// exponent: 1e131071 would be a response of 128 KiB.
const maxDigits = 400

func isDigit(c byte) bool { return c-'0' <= 9 }

// isPlain says that a string holds a byte as it is. What lies above ASCII counts as
// plain: whole values are checked for UTF-8 at once.
func isPlain(c byte) bool { return c >= 0x20 && c != '"' && c != '\\' }

func (s *jsonScanner) string() jsonType {
	text, at := s.text, s.at+1
	for {
		for at < len(text) && isPlain(text[at]) {
			at++
		}
		s.at = at
		if at >= len(text) {
			return s.unexpected("the string's end")
		}
		switch text[at] {
		case '"':
			s.at++
			return jsonString
		case '\\':
			if s.escape() == jsonInvalid {
				return jsonInvalid
			}
			at = s.at
		default:
			return s.fail("a control character must be escaped, found one")
		}
	}
}

// escape scans one escape; a surrogate pair is one.
func (s *jsonScanner) escape() jsonType {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return jsonString
	case 'u':
	default:
		return s.unexpected(`one of "\/bfnrtu`)
	}
	first, ok := s.hex4(s.at + 1)
	if !ok {
		return s.unexpected(`four hexadecimal digits after \u`)
	}
	s.at += 5
	switch {
	case first == 0:
		s.unstorable = cmp.Or(s.unstorable, unstorableNUL)
	case utf16.IsSurrogate(first):
		second, ok := s.hex4(s.at + 2)
		if ok && string(s.text[s.at:s.at+2]) == `\u` && utf16.DecodeRune(first, second) != unicode.ReplacementChar {
			s.at += 6
		} else {
			s.unstorable = cmp.Or(s.unstorable, unstorableSurrogate)
		}
	}
	return jsonString
}

// unescaped is a scanned string with its escapes undone. It may share the line's memory.
func unescaped(v value) []byte {
	if !bytes.Contains(v.text, []byte{'\\'}) {
		return v.text
	}
	var text string
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, v.text, []byte{'"'}), &text) // scanned before
	return []byte(text)
}

func (s *jsonScanner) hex4(at int) (rune, bool) {
	if at+4 > len(s.text) {
		return 0, false
	}
	r, err := strconv.ParseUint(string(s.text[at:at+4]), 16, 16)
	return rune(r), err == nil
}

// digits scans a run of digits and returns its length.
func (s *jsonScanner) digits() int {
	start := s.at
	for isDigit(s.peek()) {
		s.at++
	}
	return s.at - start
}

func (s *jsonScanner) number() jsonType {
	begins, signs := s.at, 0
	if s.peek() == '-' {
		s.at++
		signs++
	}
	integer := 1
	if s.peek() == '0' {
		s.at++
	} else if integer = s.digits(); integer == 0 {
		return s.unexpected("a digit")
	}
	fraction := 0
	if s.peek() == '.' {
		s.at++
		if fraction = s.digits(); fraction == 0 {
			return s.unexpected("a digit")
		}
	}
	var exponent int64
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		start := s.at
		if s.peek() == '-' || s.peek() == '+' {
			s.at++
		}
		if s.digits() == 0 {
			return s.unexpected("a digit")
		}
		// The nearest number of 24 bits, which is far beyond the limit below.
		exponent, _ = strconv.ParseInt(string(s.text[start:s.at]), 10, 24)
	}
	plain := max(integer+int(exponent), 1)
	if decimals := fraction - int(exponent); decimals > 0 {
		plain += decimals
		signs++ // the point
	}
	if plain > maxDigits {
		s.unstorable = cmp.Or(s.unstorable, unstorableNumber)
	}
	s.grows += max(0, signs+plain-(s.at-begins))
	return jsonNumber
}
