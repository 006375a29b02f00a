package mcp

import (
	"encoding/json"
	"strconv"
	"testing"
)

// What passes is one JSON object, and its id is one that can be sent back as it is.
func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[{}]`, `null`, `{"id":1,"method":"ping"}`, `{"id":"a\udead","method":"x"}`, `{"id":1e999}`, `{"":1e999}`, `{"id":9223372036854775808}`, `{"ID":1.5,"id":2}`,
		`{"method":"notifications/x"}`, `{"id":1,"params":{"cursor":"a"}}`, `{"id":null}`, "{\"a\":\"\xff\"}", `{"id":1}{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		id, isNotification, refused := parseMessage([]byte(body))
		if refused != nil {
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &object); err != nil || object == nil {
			t.Fatalf("%q passes and is no object: %v", body, err)
		}
		_, err := strconv.ParseInt(string(id), 10, 64)
		if id != nil && (isNotification || err != nil && id[0] != '"' || !json.Valid(id)) {
			t.Fatalf("%q has the id %s, and is a notification: %v", body, id, isNotification)
		}
	})
}
