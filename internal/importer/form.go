package importer

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// form is a type of the import format. It checks a value and appends it as
// PostgreSQL's binary COPY wants it, without the length in front.
type form struct {
	// says completes "must be …".
	says string
	// append refuses a value with a problem.
	append func(dst []byte, v value) ([]byte, *problem)
}

// problem is what is wrong with a value.
type problem struct {
	// path leads from the field to the culprit: "[3].id".
	path string
	// must replaces "must be <form>, not <value>".
	must string
	// says replaces the form's own words.
	says string
	got  value
}

func wrong(v value) *problem { return &problem{got: v} }

var (
	anyText = form{says: "a string", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString {
			return dst, wrong(v)
		}
		return appendText(dst, v), nil
	}}

	filledText = form{says: "a string that is not empty", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString || len(v.text) == 0 {
			return dst, wrong(v)
		}
		return appendText(dst, v), nil
	}}

	// A slug is a key of an index, whose entries are bounded.
	slugText = form{says: "a string of 1 to 200 characters", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString || len(v.text) == 0 {
			return dst, wrong(v)
		}
		start := len(dst)
		dst = appendText(dst, v)
		if n := len(dst) - start; n > 200 && len([]rune(string(dst[start:]))) > 200 {
			return dst, wrong(v)
		}
		return dst, nil
	}}

	hashText = form{says: "64 lower-case hexadecimal digits", append: func(dst []byte, v value) ([]byte, *problem) {
		text := plain(v)
		if v.shape != isString || len(text) != 64 {
			return dst, wrong(v)
		}
		for _, c := range text {
			if !isDigit(c) && (c < 'a' || c > 'f') {
				return dst, wrong(v)
			}
		}
		return append(dst, text...), nil
	}}

	anyBool = form{says: "true or false", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isBool {
			return dst, wrong(v)
		}
		if v.text[0] == 't' {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	}}

	anyNumber = form{says: "a number", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isNumber {
			return dst, wrong(v)
		}
		f, err := strconv.ParseFloat(string(v.text), 64)
		if err != nil {
			return dst, &problem{says: "a number within ±1.8e308", got: v}
		}
		if f == 0 {
			f = 0 // JSON readers differ about -0
		}
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(f)), nil
	}}

	anyCount = form{says: "a whole number from 0 up", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isNumber {
			return dst, wrong(v)
		}
		n, err := strconv.ParseUint(string(v.text), 10, 63)
		if err != nil {
			return dst, wrong(v)
		}
		return binary.BigEndian.AppendUint64(dst, n), nil
	}}

	anyUUID = form{says: "a UUID of 36 characters", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString {
			return dst, wrong(v)
		}
		id, ok := parseUUID(plain(v))
		if !ok {
			return dst, wrong(v)
		}
		return append(dst, id[:]...), nil
	}}

	instant = form{says: "an RFC 3339 date-time such as 2026-03-01T09:30:00Z", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString {
			return dst, wrong(v)
		}
		micros, ok := parseInstant(plain(v))
		if !ok {
			return dst, wrong(v)
		}
		return binary.BigEndian.AppendUint64(dst, uint64(micros)), nil
	}}

	calendarDay = form{says: "a date such as 2026-03-01", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString {
			return dst, wrong(v)
		}
		day, ok := parseDay(plain(v))
		if !ok {
			return dst, wrong(v)
		}
		return binary.BigEndian.AppendUint32(dst, uint32(day)), nil
	}}
)

// oneOf is a string out of a short list.
func oneOf(words ...string) form {
	return form{says: list(words, "or"), append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isString {
			return dst, wrong(v)
		}
		text := plain(v)
		for _, word := range words {
			if string(text) == word {
				return append(dst, word...), nil
			}
		}
		return dst, wrong(v)
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
