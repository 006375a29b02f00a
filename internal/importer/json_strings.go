package importer

import (
	"encoding/json"
	"slices"
)

// unescaped is a scanned string with its escapes undone. It may share the line's memory.
func unescaped(v value) []byte {
	if !v.escaped {
		return v.text
	}
	var text string
	_ = json.Unmarshal(slices.Concat([]byte{'"'}, v.text, []byte{'"'}), &text) // scanned before
	return []byte(text)
}
