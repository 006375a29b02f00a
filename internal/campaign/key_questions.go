package campaign

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	legacy, list := false, []byte{'['}
	for i, q := range questions {
		if i > 0 {
			list = append(list, ',')
		}
		if !bytes.HasPrefix(q, []byte{'"'}) {
			list = append(list, q...)
			continue
		}
		legacy = true
		// The string stays as it was written: no escape of it changes.
		list = fmt.Appendf(list, `{"id":"q%d","question":%s}`, i+1, q)
	}
	if !legacy {
		return stored, nil
	}
	return append(list, ']'), nil
}
