package importer

import (
	"cmp"
	"encoding/binary"
	"fmt"
)

// PostgreSQL's jsonb in binary is a version and then the text, whose every
// digit it keeps.
const jsonbVersion = 1

func appendJSON(dst []byte, v value) []byte {
	return append(append(dst, jsonbVersion), v.text...)
}

var (
	objectType = fieldType{"an object", jsonObject, func(dst []byte, v value) ([]byte, *problem) {
		return appendJSON(dst, v), nil
	}}

	// A portal body is served as it is, beside rows of the collection, plus what
	// the server adds.
	portalBodyType = fieldType{"an object", jsonObject, func(dst []byte, v value) ([]byte, *problem) {
		row := map[string]bool{}
		for name := range members(v) {
			switch key := string(unescaped(name)); key {
			case "measurement_integrity":
				return dst, &problem{requirement: "must not carry measurement_integrity: the server adds it"}
			case "synthesis_type", "document", "contract_version":
				row[key] = true
			}
		}
		if len(row) == 3 {
			return dst, &problem{requirement: "must not carry synthesis_type, document and contract_version together: it would pass for a row of the collection"}
		}
		return appendJSON(dst, v), checkText(".schema", member(v, "schema"))
	}}

	transcriptType = fieldType{"a list of objects", jsonArray, func(dst []byte, v value) ([]byte, *problem) {
		for n, turn := range elements(v) {
			if turn.typ != jsonObject {
				return dst, &problem{path: fmt.Sprintf("[%d]", n), accepted: "an object", got: turn}
			}
		}
		return appendJSON(dst, v), nil
	}}

	// Questions are objects with id and question, or the strings of old rows.
	keyQuestionsType = fieldType{"a list of objects with id and question, a list of strings", jsonArray, func(dst []byte, v value) ([]byte, *problem) {
		var first jsonType
		for n, q := range elements(v) {
			if n == 0 {
				first = q.typ
			}
			if p := checkQuestion(q, first, n); p != nil {
				return dst, p
			}
		}
		return appendJSON(dst, v), nil
	}}

	uuidListType = listOf("a list of UUIDs", uuidType.description, uuidOID, func(text []byte) ([]byte, bool) {
		id, ok := parseUUID(text)
		return id[:], ok
	})
)

// The types of lists' elements, as PostgreSQL numbers them.
const (
	textOID = 25
	uuidOID = 2950
)

// listOf is the type of a list of strings that read accepts.
func listOf(description, accepted string, oid uint32, read func(text []byte) ([]byte, bool)) fieldType {
	return fieldType{description, jsonArray, func(dst []byte, v value) ([]byte, *problem) {
		var found [][]byte
		for n, e := range elements(v) {
			element, ok := read(unescaped(e))
			if e.typ != jsonString || !ok {
				return dst, &problem{path: fmt.Sprintf("[%d]", n), accepted: accepted, got: e}
			}
			found = append(found, element)
		}
		return appendArray(dst, oid, found), nil
	}}
}

// appendArray appends a list without nulls, as binary COPY wants it.
func appendArray(dst []byte, elementOID uint32, elements [][]byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, 1) // dimension
	dst = binary.BigEndian.AppendUint32(dst, 0) // no nulls
	dst = binary.BigEndian.AppendUint32(dst, elementOID)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(elements)))
	dst = binary.BigEndian.AppendUint32(dst, 1) // the first index
	for _, e := range elements {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(e)))
		dst = append(dst, e...)
	}
	return dst
}

// checkQuestion compares a question with the type of the first one. Fields
// beyond id and question pass through.
func checkQuestion(q value, first jsonType, n int) *problem {
	path := fmt.Sprintf("[%d]", n)
	switch {
	case first != jsonObject && first != jsonString:
		return &problem{path: path, accepted: "an object with id and question, or a string", got: q}
	case q.typ != first && first == jsonObject:
		return &problem{path: path, accepted: "an object with id and question, like the first", got: q}
	case q.typ != first:
		return &problem{path: path, accepted: "a string, like the first", got: q}
	case first == jsonString:
		return nil
	}
	return cmp.Or(checkText(path+".id", member(q, "id")), checkText(path+".question", member(q, "question")))
}

// checkText checks that a value inside another is a text that is not empty. An empty one
// is reported even where values are redacted.
func checkText(path string, v value) *problem {
	switch {
	case v.typ == jsonInvalid:
		return &problem{path: path, requirement: "is missing: must be " + nonEmptyTextType.description}
	case v.typ != jsonString:
		return &problem{path: path, accepted: nonEmptyTextType.description, got: v}
	case len(v.text) == 0:
		return &problem{path: path, requirement: "must be " + nonEmptyTextType.description + `, not ""`}
	}
	return nil
}
