package importer

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// fieldType is a type of the import format. It checks a value and appends it as
// PostgreSQL's binary COPY wants it, without the length in front.
type fieldType struct {
	// description completes "must be …".
	description string
	// append refuses a value with a problem.
	append func(dst []byte, v value) ([]byte, *problem)
}

// problem is why a value is not accepted.
type problem struct {
	// path leads from the field to the value: "[3].id".
	path string
	// requirement replaces "must be <description>, not <value>".
	requirement string
	// accepted replaces the type's description.
	accepted string
	got      value
}

func unaccepted(v value) *problem { return &problem{got: v} }

var (
	textType = fieldType{description: "a string", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString {
			return dst, unaccepted(v)
		}
		return appendUnescaped(dst, v), nil
	}}

	nonEmptyTextType = fieldType{description: "a string that is not empty", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString || len(v.text) == 0 {
			return dst, unaccepted(v)
		}
		return appendUnescaped(dst, v), nil
	}}

	// A slug is a key of an index, whose entries are bounded.
	slugType = fieldType{description: "a string of 1 to 200 characters", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString || len(v.text) == 0 {
			return dst, unaccepted(v)
		}
		start := len(dst)
		dst = appendUnescaped(dst, v)
		if n := len(dst) - start; n > 200 && len([]rune(string(dst[start:]))) > 200 {
			return dst, unaccepted(v)
		}
		return dst, nil
	}}

	hashType = fieldType{description: "64 lower-case hexadecimal digits", append: func(dst []byte, v value) ([]byte, *problem) {
		text := unescaped(v)
		if v.typ != jsonString || len(text) != 64 {
			return dst, unaccepted(v)
		}
		for _, c := range text {
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return dst, unaccepted(v)
			}
		}
		return append(dst, text...), nil
	}}

	booleanType = fieldType{description: "true or false", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonBool {
			return dst, unaccepted(v)
		}
		if v.text[0] == 't' {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	}}

	numberType = fieldType{description: "a number", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonNumber {
			return dst, unaccepted(v)
		}
		f, err := strconv.ParseFloat(string(v.text), 64)
		if err != nil {
			return dst, &problem{accepted: "a number within ±1.8e308", got: v}
		}
		if f == 0 {
			f = 0 // JSON readers differ about -0
		}
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f)), nil
	}}

	countType = fieldType{description: "a whole number from 0 up", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonNumber {
			return dst, unaccepted(v)
		}
		n, err := strconv.ParseUint(string(v.text), 10, 63)
		if err != nil {
			return dst, unaccepted(v)
		}
		return binary.BigEndian.AppendUint64(dst, n), nil
	}}

	uuidType = fieldType{description: "a UUID of 36 characters", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString {
			return dst, unaccepted(v)
		}
		id, ok := parseUUID(unescaped(v))
		if !ok {
			return dst, unaccepted(v)
		}
		return append(dst, id[:]...), nil
	}}

	timestampType = fieldType{description: "an RFC 3339 date-time such as 2026-03-01T09:30:00Z", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString {
			return dst, unaccepted(v)
		}
		micros, ok := parseTimestamp(unescaped(v))
		if !ok {
			return dst, unaccepted(v)
		}
		return binary.BigEndian.AppendUint64(dst, uint64(micros)), nil
	}}

	dateType = fieldType{description: "a date such as 2026-03-01", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString {
			return dst, unaccepted(v)
		}
		day, ok := parseDate(unescaped(v))
		if !ok {
			return dst, unaccepted(v)
		}
		return binary.BigEndian.AppendUint32(dst, uint32(day)), nil
	}}
)

// oneOf is the type of a string out of a short list.
func oneOf(words ...string) fieldType {
	return fieldType{description: list(words, "or"), append: func(dst []byte, v value) ([]byte, *problem) {
		if v.typ != jsonString {
			return dst, unaccepted(v)
		}
		text := unescaped(v)
		for _, word := range words {
			if string(text) == word {
				return append(dst, word...), nil
			}
		}
		return dst, unaccepted(v)
	}}
}

// list reads "a, b or c".
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
