package importer

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"
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

// string scans a string. Whole values are checked for UTF-8 at once.
func (s *jsonScanner) string() {
	s.at++
	end := bytes.IndexByte(s.text[s.at:], '"')
	if end >= 0 && bytes.IndexByte(s.text[s.at:s.at+end], '\\') < 0 { // most have no escape
		s.at += end + 1
		return
	}
	for s.at < len(s.text) && s.text[s.at] != '"' {
		if s.text[s.at] == '\\' {
			s.escape()
		} else {
			s.at++
		}
	}
	s.at = min(s.at+1, len(s.text))
}

// escape scans one escape; a surrogate pair is one.
func (s *jsonScanner) escape() {
	if s.at++; s.peek() != 'u' {
		s.at++
		return
	}
	first := s.hexEscape(s.at - 1)
	s.at += 5
	switch {
	case first == 0:
		s.unstorable = cmp.Or(s.unstorable, unstorableNUL)
	case utf16.IsSurrogate(first):
		if utf16.DecodeRune(first, s.hexEscape(s.at)) != unicode.ReplacementChar {
			s.at += 6
		} else {
			s.unstorable = cmp.Or(s.unstorable, unstorableSurrogate)
		}
	}
}

// hexEscape is the number of the escape \uXXXX at a position, 0 if there is none.
func (s *jsonScanner) hexEscape(at int) rune {
	if at+6 > len(s.text) || s.text[at] != '\\' || s.text[at+1] != 'u' {
		return 0
	}
	r, _ := strconv.ParseUint(string(s.text[at+2:at+6]), 16, 16)
	return rune(r)
}

// number scans a number, and counts it as PostgreSQL writes it.
func (s *jsonScanner) number() {
	start := s.at
	for s.at < len(s.text) && strings.IndexByte("0123456789.-+eE", s.text[s.at]) >= 0 {
		s.at++
	}
	mantissa, exponent := s.text[start:s.at], int64(0)
	if e := bytes.IndexAny(mantissa, "eE"); e >= 0 {
		// The nearest number of 24 bits, which is far beyond the limit below.
		exponent, _ = strconv.ParseInt(string(mantissa[e+1:]), 10, 24)
		mantissa = mantissa[:e]
	}
	integer, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	integer, isNegative := bytes.CutPrefix(integer, []byte{'-'})
	digits, signs := max(len(integer)+int(exponent), 1), 0
	if isNegative {
		signs++
	}
	if decimals := len(fraction) - int(exponent); decimals > 0 {
		digits += decimals
		signs++ // the point
	}
	if digits > maxDigits {
		s.unstorable = cmp.Or(s.unstorable, unstorableNumber)
	}
	s.grows += max(0, signs+digits-(s.at-start))
}
