package importer

import (
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
	anyObject = form{says: "an object", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isObject {
			return dst, wrong(v)
		}
		return appendJSON(dst, v), nil
	}}

	// A portal body is served as it is, beside rows of the collection, plus what
	// the server vouches for.
	portalBody = form{says: "an object", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isObject {
			return dst, wrong(v)
		}
		var vouches bool
		row := map[string]bool{}
		members(v, func(name, _ value) {
			switch key := string(plain(name)); key {
			case "measurement_integrity":
				vouches = true
			case "synthesis_type", "document", "contract_version":
				row[key] = true
			}
		})
		switch {
		case vouches:
			return dst, &problem{must: "must not carry measurement_integrity: the server adds it"}
		case len(row) == 3:
			return dst, &problem{must: "must not carry synthesis_type, document and contract_version together: it would pass for a row of the collection"}
		}
		return appendJSON(dst, v), nil
	}}

	turns = form{says: "a list of objects", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isList {
			return dst, wrong(v)
		}
		var p *problem
		n := 0
		elements(v, func(turn value) {
			if turn.shape != isObject && p == nil {
				p = &problem{path: fmt.Sprintf("[%d]", n), says: "an object", got: turn}
			}
			n++
		})
		return appendJSON(dst, v), p
	}}

	// Questions are objects with id and question, or the strings of old rows.
	questions = form{says: "a list of objects with id and question, a list of strings", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isList {
			return dst, wrong(v)
		}
		var p *problem
		first, n := broken, 0
		elements(v, func(q value) {
			if n == 0 {
				first = q.shape
			}
			if p == nil {
				p = checkQuestion(q, first, n)
			}
			n++
		})
		return appendJSON(dst, v), p
	}}

	uuidList = form{says: "a list of UUIDs", append: func(dst []byte, v value) ([]byte, *problem) {
		if v.shape != isList {
			return dst, wrong(v)
		}
		const uuidOID = 2950
		var p *problem
		var ids []byte
		n := 0
		elements(v, func(e value) {
			id, ok := parseUUID(plain(e))
			if (e.shape != isString || !ok) && p == nil {
				p = &problem{path: fmt.Sprintf("[%d]", n), says: anyUUID.says, got: e}
			}
			ids = binary.BigEndian.AppendUint32(ids, uint32(len(id)))
			ids = append(ids, id[:]...)
			n++
		})
		dimensions := uint32(1)
		if n == 0 {
			dimensions = 0
		}
		dst = binary.BigEndian.AppendUint32(dst, dimensions)
		dst = binary.BigEndian.AppendUint32(dst, 0) // no nulls
		dst = binary.BigEndian.AppendUint32(dst, uuidOID)
		if n > 0 {
			dst = binary.BigEndian.AppendUint32(dst, uint32(n))
			dst = binary.BigEndian.AppendUint32(dst, 1) // the first index
		}
		return append(dst, ids...), p
	}}
)

// checkQuestion holds a question against the form of the first one. Fields
// beyond id and question pass through.
func checkQuestion(q value, first shape, n int) *problem {
	path := fmt.Sprintf("[%d]", n)
	switch {
	case first != isObject && first != isString:
		return &problem{path: path, says: "an object with id and question, or a string", got: q}
	case q.shape != first && first == isObject:
		return &problem{path: path, says: "an object with id and question, like the first", got: q}
	case q.shape != first:
		return &problem{path: path, says: "a string, like the first", got: q}
	case first == isString:
		return nil
	}
	// Of a name given twice, jsonb keeps the last.
	given := map[string]value{}
	members(q, func(name, v value) { given[string(plain(name))] = v })
	for _, name := range []string{"id", "question"} {
		v, ok := given[name]
		if !ok {
			return &problem{path: path + "." + name, must: "is missing: must be " + filledText.says}
		}
		if v.shape != isString || len(v.text) == 0 {
			return &problem{path: path + "." + name, says: filledText.says, got: v}
		}
	}
	return nil
}
