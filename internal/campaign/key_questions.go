package campaign

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// canonicalQuestions turns a list of plain strings, as old campaigns have it, into
// objects with id and question, the ids numbered q1, q2 and so on. It returns a
// list of objects unchanged to the byte, and an empty list for null.
func canonicalQuestions(stored json.RawMessage) (json.RawMessage, error) {
	if stored == nil || string(stored) == "null" {
		return json.RawMessage("[]"), nil
	}
	var questions []json.RawMessage
	if err := json.Unmarshal(stored, &questions); err != nil {
		return nil, err
	}
	legacy := false
	for i, q := range questions {
		if !bytes.HasPrefix(q, []byte{'"'}) {
			continue
		}
		legacy = true
		// The string stays as it was written: no escape of it changes.
		object := append([]byte(`{"id":"q`), strconv.Itoa(i+1)...)
		object = append(append(object, `","question":`...), q...)
		questions[i] = append(object, '}')
	}
	if !legacy {
		return stored, nil
	}
	return append(append([]byte{'['}, bytes.Join(rawBytes(questions), []byte{','})...), ']'), nil
}

func rawBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, one := range list {
		out[i] = one
	}
	return out
}
