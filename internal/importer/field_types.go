package importer

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fieldType is a type of the import format. It checks a value and appends it as
// PostgreSQL's binary COPY wants it, without the length in front.
type fieldType struct {
	// description completes "must be …".
	description string
	json        jsonType
	// append appends a value of the JSON type, or refuses it with a problem.
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

// textual is the type of a string that read accepts, and appends.
func textual(description string, read func(dst, text []byte) ([]byte, bool)) fieldType {
	return fieldType{description, jsonString, func(dst []byte, v value) ([]byte, *problem) {
		appended, ok := read(dst, unescaped(v))
		if !ok {
			return dst, &problem{got: v}
		}
		return appended, nil
	}}
}

// textOf is the type of a string that is stored as it is, if it is valid.
func textOf(description string, valid func(text []byte) bool) fieldType {
	return textual(description, func(dst, text []byte) ([]byte, bool) { return append(dst, text...), valid(text) })
}

// holdsOnly reports whether a text has so many characters, all of them of a set in ASCII.
func holdsOnly(set string, n int, text []byte) bool {
	return len(text) == n && len(bytes.Trim(text, set)) == 0
}

func isHash(text []byte) bool { return holdsOnly("0123456789abcdef", 64, text) }

var (
	textType = textOf("a string", func([]byte) bool { return true })

	nonEmptyTextType = textOf("a string that is not empty", func(text []byte) bool { return len(text) > 0 })

	// A slug is a key of an index, whose entries are bounded.
	slugType = textOf("a string of 1 to 200 characters", func(text []byte) bool {
		return len(text) > 0 && utf8.RuneCount(text) <= 200
	})

	hashType = textOf("64 lower-case hexadecimal digits", isHash)

	uuidType = textual("a UUID of 36 characters", func(dst, text []byte) ([]byte, bool) {
		id, ok := parseUUID(text)
		return append(dst, id[:]...), ok
	})

	timestampType = textual("an RFC 3339 date-time such as 2026-03-01T09:30:00Z", func(dst, text []byte) ([]byte, bool) {
		micros, ok := parseTimestamp(text)
		return binary.BigEndian.AppendUint64(dst, uint64(micros)), ok
	})

	dateType = textual("a date such as 2026-03-01", func(dst, text []byte) ([]byte, bool) {
		day, ok := parseDate(text)
		return binary.BigEndian.AppendUint32(dst, uint32(day)), ok
	})

	booleanType = fieldType{"true or false", jsonBool, func(dst []byte, v value) ([]byte, *problem) {
		if v.text[0] == 't' {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	}}

	numberType = fieldType{"a number", jsonNumber, func(dst []byte, v value) ([]byte, *problem) {
		f, err := strconv.ParseFloat(string(v.text), 64)
		if err != nil {
			return dst, &problem{accepted: "a number within ±1.7976931348623157e308", got: v}
		}
		if f == 0 {
			f = 0 // JSON readers differ about -0
		}
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f)), nil
	}}

	countType = fieldType{"a whole number from 0 up", jsonNumber, func(dst []byte, v value) ([]byte, *problem) {
		n, err := strconv.ParseUint(string(v.text), 10, 63)
		if err != nil {
			return dst, &problem{got: v}
		}
		return binary.BigEndian.AppendUint64(dst, n), nil
	}}
)

// oneOf is the type of a string out of a short list.
func oneOf(words ...string) fieldType {
	return textOf(list(words, "or"), func(text []byte) bool { return slices.Contains(words, string(text)) })
}

// list reads "a, b or c".
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
