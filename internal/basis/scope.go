package basis

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
)

// Scope is what a request asked about: a route below the API's prefix, and the
// filters given, as decoded strings, without limit and starting_after.
type Scope struct {
	ClientID uuid.UUID
	Route    string
	Filters  map[string]string
}

// Whole tells whether the scope is every interview of the client.
func (s Scope) Whole() bool { return s.Route == "/interviews" && len(s.Filters) == 0 }

// rawText undoes the escapes of encoding/json that RFC 8785 does not have.
var rawText = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\ufffd`, "\ufffd")

// Hash is the SHA-256, in hex, of the scope's RFC 8785 form. Names are ASCII, so their
// order is the same as by UTF-16.
func (s Scope) Hash() string {
	filters := s.Filters
	if filters == nil {
		filters = map[string]string{}
	}
	var form bytes.Buffer
	encoder := json.NewEncoder(&form)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // texts can be encoded
		ClientID uuid.UUID         `json:"client_id"`
		Filters  map[string]string `json:"filters"`
		Route    string            `json:"route"`
	}{s.ClientID, filters, s.Route})
	return SHA256([]byte(rawText.Replace(strings.TrimSuffix(form.String(), "\n"))))
}
