package importer

import "unicode/utf16"

// What JSON can say and PostgreSQL cannot keep.
const (
	flawNUL       = `must not hold the NUL character (\u0000)`
	flawSurrogate = `must not hold half of a surrogate pair (\ud800 to \udfff)`
	flawNumber    = "must not hold a number that PostgreSQL cannot keep (131072 digits before the point, 16383 after it)"
	flawUTF8      = "must be valid UTF-8"
)

// PostgreSQL's numeric ends here.
const (
	maxIntegerDigits  = 131072
	maxFractionDigits = 16383
)

func isDigit(c byte) bool { return c-'0' <= 9 }

// plainBytes are the bytes that a string holds as they are. What lies above
// ASCII counts as plain: the whole line is checked for UTF-8 at once.
var plainBytes = func() (plain [256]bool) {
	for c := range plain {
		plain[c] = c >= 0x20 && c != '"' && c != '\\'
	}
	return plain
}()

func (s *scanner) str() shape {
	text, at := s.text, s.at+1
	s.escaped = false
	for {
		for at < len(text) && plainBytes[text[at]] {
			at++
		}
		s.at = at
		if at >= len(text) {
			return s.unexpected("the string's end")
		}
		switch text[at] {
		case '"':
			s.at++
			return isString
		case '\\':
			s.escaped = true
			if s.escape() == broken {
				return broken
			}
			at = s.at
		default:
			return s.fail("a control character must be escaped, found one")
		}
	}
}

// escape scans one escape; a surrogate pair is one.
func (s *scanner) escape() shape {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return isString
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
		s.note(flawNUL)
	case utf16.IsSurrogate(first):
		if s.peek() == '\\' && s.at+1 < len(s.text) && s.text[s.at+1] == 'u' {
			if second, ok := s.hex4(s.at + 2); ok && first < 0xDC00 && second >= 0xDC00 && second < 0xE000 {
				s.at += 6
				return isString
			}
		}
		s.note(flawSurrogate)
	}
	return isString
}

func (s *scanner) hex4(at int) (rune, bool) {
	if at+4 > len(s.text) {
		return 0, false
	}
	var r rune
	for _, c := range s.text[at : at+4] {
		digit := hexDigit(c)
		if digit > 15 {
			return 0, false
		}
		r = r<<4 | rune(digit)
	}
	return r, true
}

// hexDigit is above 15 for what is no hexadecimal digit.
func hexDigit(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// digits scans a run of digits and returns its length.
func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at - start
}

func (s *scanner) number() shape {
	if s.peek() == '-' {
		s.at++
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
	exponent := 0
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		negative := s.peek() == '-'
		if negative || s.peek() == '+' {
			s.at++
		}
		start := s.at
		if s.digits() == 0 {
			return s.unexpected("a digit")
		}
		for _, c := range s.text[start:s.at] {
			if exponent < 1e6 { // far beyond the limits below
				exponent = exponent*10 + int(c-'0')
			}
		}
		if negative {
			exponent = -exponent
		}
	}
	if integer+exponent > maxIntegerDigits || fraction-exponent > maxFractionDigits {
		s.note(flawNumber)
	}
	return isNumber
}
