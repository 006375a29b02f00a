package importer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// fieldType is a type of the import format.
type fieldType struct {
	// description completes "must be …".
	description string
	json        jsontext.Kind
	// private values are never repeated in errors: what people said, who they are.
	private bool
	// read makes what pgx writes of a value of the JSON type, or says what is wrong with it.
	read func(v jsontext.Value) (any, *problem)
}

// problem is why a value is not accepted.
type problem struct {
	// path leads from the field to the value: "[3].id".
	path string
	// requirement replaces "must be <description>, not <value>".
	requirement string
	// accepted replaces the type's description.
	accepted string
	got      jsontext.Value
}

// textual is the type of a string of which read makes a value.
func textual[T any](description string, read func(text []byte) (T, bool)) fieldType {
	return fieldType{description: description, json: '"', read: func(v jsontext.Value) (any, *problem) {
		made, ok := read([]byte(unquoted(v)))
		if !ok {
			return nil, &problem{got: v}
		}
		return made, nil
	}}
}

// textOf is the type of a string that is stored as it is, if it is valid.
func textOf(description string, valid func(text []byte) bool) fieldType {
	return textual(description, func(text []byte) (string, bool) { return string(text), valid(text) })
}

// oneOf is the type of a string out of a short list.
func oneOf(words ...string) fieldType {
	return textOf(list(words, "or"), func(text []byte) bool { return slices.Contains(words, string(text)) })
}

func private(t fieldType) fieldType {
	t.private = true
	return t
}

// document is the type of JSON that is stored as it is, every digit of it.
func document(description string, kind jsontext.Kind, check func(v jsontext.Value) *problem) fieldType {
	return fieldType{description: description, json: kind, private: true, read: func(v jsontext.Value) (any, *problem) {
		return []byte(v), check(v)
	}}
}

// listOf is the type of a list of strings of which read makes values.
func listOf[T any](description, accepted string, read func(text []byte) (T, bool)) fieldType {
	return fieldType{description: description, json: '[', read: func(v jsontext.Value) (any, *problem) {
		found := []T{}
		p := each(v, func(at string, e jsontext.Value) *problem {
			made, ok := read([]byte(unquoted(e)))
			if e.Kind() != '"' || !ok {
				return &problem{path: at, accepted: accepted, got: e}
			}
			found = append(found, made)
			return nil
		})
		return found, p
	}}
}

var hash = regexp.MustCompile(`^[0-9a-f]{64}$`)

func anything(jsontext.Value) *problem { return nil }

var (
	textType        = textOf("a string", func([]byte) bool { return true })
	privateTextType = private(textType)

	nonEmptyTextType = textOf("a string that is not empty", func(text []byte) bool { return len(text) > 0 })

	// A slug is a key of an index, whose entries are bounded.
	slugType = textOf("a string of 1 to 200 characters", func(text []byte) bool {
		return len(text) > 0 && utf8.RuneCount(text) <= 200
	})

	hashType      = textOf("64 lower-case hexadecimal digits", hash.Match)
	uuidType      = textual("a UUID of 36 characters", parseUUID)
	timestampType = textual("an RFC 3339 date-time such as 2026-03-01T09:30:00Z", parseTimestamp)
	dateType      = textual("a date such as 2026-03-01", parseDate)
	uuidListType  = listOf("a list of UUIDs", uuidType.description, parseUUID)

	booleanType = fieldType{description: "true or false", json: 't', read: func(v jsontext.Value) (any, *problem) {
		return v[0] == 't', nil
	}}

	numberType = fieldType{description: "a number", json: '0', read: func(v jsontext.Value) (any, *problem) {
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return nil, &problem{accepted: "a number within ±1.7976931348623157e308", got: v}
		}
		if f == 0 {
			f = 0 // JSON readers differ about -0
		}
		return f, nil
	}}

	countType = fieldType{description: "a whole number from 0 up", json: '0', read: func(v jsontext.Value) (any, *problem) {
		n, err := strconv.ParseUint(string(v), 10, 63)
		if err != nil {
			return nil, &problem{got: v}
		}
		return int64(n), nil
	}}

	synthesisTypeType = oneOf("lane", "campaign", "home", "daily_feed", "playbook", "creative_concept")
	qualityType       = oneOf("passed", "failed", "pending")
	modeType          = oneOf("legacy", "canonical")

	objectType = document("an object", '{', anything)

	transcriptType = document("a list of objects", '[', func(v jsontext.Value) *problem {
		return each(v, func(at string, turn jsontext.Value) *problem {
			if turn.Kind() != '{' {
				return &problem{path: at, accepted: "an object", got: turn}
			}
			return nil
		})
	})

	// A portal body is served as it is, beside rows of the collection, plus what
	// the server adds.
	portalBodyType = document("an object", '{', func(v jsontext.Value) *problem {
		ofRow := 0
		p := each(v, func(name string, _ jsontext.Value) *problem {
			switch name {
			case "measurement_integrity":
				return &problem{requirement: "must not carry measurement_integrity: the server adds it"}
			case "synthesis_type", "document", "contract_version":
				ofRow++
			}
			return nil
		})
		if p == nil && ofRow == 3 {
			p = &problem{requirement: "must not carry synthesis_type, document and contract_version together: it would pass for a row of the collection"}
		}
		return cmp.Or(p, checkTexts("", v, "schema"))
	})

	// Questions are objects with id and question, or the strings of old rows.
	keyQuestionsType = document("a list of objects with id and question, a list of strings", '[', func(v jsontext.Value) *problem {
		var first jsontext.Kind
		return each(v, func(at string, q jsontext.Value) *problem {
			first = cmp.Or(first, q.Kind())
			return checkQuestion(at, q, first)
		})
	})
)

// checkQuestion compares a question with the type of the first one. Fields
// beyond id and question pass through.
func checkQuestion(at string, q jsontext.Value, first jsontext.Kind) *problem {
	if kind := q.Kind(); kind != first || kind != '{' && kind != '"' {
		return &problem{path: at, accepted: "an object with id and question, or a string, as all in the list", got: q}
	}
	if first == '"' {
		return nil
	}
	return checkTexts(at, q, "id", "question")
}

// checkTexts checks that members of an object are texts that are not empty.
func checkTexts(path string, object jsontext.Value, names ...string) *problem {
	found := map[string]bool{}
	_ = each(object, func(name string, v jsontext.Value) *problem {
		found[name] = v.Kind() == '"' && len(v) > len(`""`)
		return nil
	})
	for _, name := range names {
		if !found[name] {
			return &problem{path: path + "." + name, requirement: "must be " + nonEmptyTextType.description}
		}
	}
	return nil
}

// list reads "a, b or c".
func list(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
