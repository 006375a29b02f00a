package importer

import (
	"unicode/utf16"
	"unicode/utf8"
)

// appendUnescaped appends a scanned string with its escapes undone.
func appendUnescaped(dst []byte, v value) []byte {
	if !v.escaped {
		return append(dst, v.text...)
	}
	s := jsonScanner{text: v.text}
	for at := 0; at < len(v.text); {
		start := at
		for at < len(v.text) && v.text[at] != '\\' {
			at++
		}
		dst = append(dst, v.text[start:at]...)
		if at == len(v.text) {
			break
		}
		at++
		switch c := v.text[at]; c {
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, _ := s.hex4(at + 1)
			at += 4
			if utf16.IsSurrogate(r) {
				low, _ := s.hex4(at + 3)
				r = utf16.DecodeRune(r, low)
				at += 6
			}
			dst = utf8.AppendRune(dst, r)
		default: // a quote, a slash or a backslash
			dst = append(dst, c)
		}
		at++
	}
	return dst
}

// unescaped is a scanned string with its escapes undone. It may share the line's memory.
func unescaped(v value) []byte {
	if !v.escaped {
		return v.text
	}
	return appendUnescaped(nil, v)
}
