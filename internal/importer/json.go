package importer

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// What JSON allows and PostgreSQL cannot store, or not well.
const (
	unstorableNUL    = `must not hold the NUL character (\u0000)`
	unstorableNumber = "must not hold a number of more than 400 digits, counted as it is written without an exponent"
	unstorableLength = "must not bring the line's values of more than 2 KiB to more than 16 MiB, numbers counted as they are written without an exponent"
)

// maxDigits bounds a number as PostgreSQL stores and returns it, without an
// exponent: 1e131071 would be a response of 128 KiB.
const maxDigits = 400

// writtenOut is how many digits a number has, and how many bytes PostgreSQL needs for
// it, as it writes numbers without exponents.
func writtenOut(number []byte) (digits, length int) {
	mantissa, exponent := number, int64(0)
	if e := bytes.IndexAny(mantissa, "eE"); e >= 0 {
		// The nearest number of 24 bits, which is far beyond any limit.
		exponent, _ = strconv.ParseInt(string(mantissa[e+1:]), 10, 24)
		mantissa = mantissa[:e]
	}
	integer, fraction, _ := bytes.Cut(mantissa, []byte{'.'})
	integer, isNegative := bytes.CutPrefix(integer, []byte{'-'})
	digits = max(len(integer)+int(exponent), 1)
	if isNegative {
		length++
	}
	if decimals := len(fraction) - int(exponent); decimals > 0 {
		digits += decimals
		length++ // the point
	}
	return digits, length + digits
}

// each calls do for the members of an object, by name, or the elements of a list, as [0],
// until it finds a problem. The value was parsed before.
func each(of jsontext.Value, do func(name string, v jsontext.Value) *problem) *problem {
	dec := jsontext.NewDecoder(bytes.NewBuffer(of))
	start, err := dec.ReadToken()
	isObject := start.Kind() == '{'
	for n := 0; err == nil && dec.PeekKind() != '}' && dec.PeekKind() != ']'; n++ {
		name := fmt.Sprintf("[%d]", n)
		if isObject {
			token, _ := dec.ReadToken()
			name = token.String()
		}
		var v jsontext.Value
		if v, err = dec.ReadValue(); err == nil {
			if p := do(name, v); p != nil {
				return p
			}
		}
	}
	return nil
}

// unquoted is a string's text, empty of any other value.
func unquoted(v jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}
