package basis

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// MembershipHash is the SHA-256, in hex, of ascending ids joined with line
// feeds; of the empty string when there are none.
func MembershipHash(ascending []uuid.UUID) string {
	text := make([]byte, 0, 37*len(ascending))
	for i, id := range ascending {
		if i > 0 {
			text = append(text, '\n')
		}
		text = AppendUUID(text, id)
	}
	return SHA256(text)
}

// PreviewID is the id of a basis: the same scope, membership and time give the
// same id. asOf is the time as AppendTime writes it.
func PreviewID(clientID uuid.UUID, scopeHash, membershipHash, asOf string) uuid.UUID {
	name := strings.Join([]string{scopeHash, membershipHash, asOf}, "\n")
	return uuid.NewSHA1(clientID, []byte(name))
}

// SortIDs sorts ids in ascending order, which MembershipHash needs.
func SortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// SHA256 is the hash of a text, in hex.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Scope is what a request selects: a route below the API's prefix, and the
// filters given, as decoded strings, without limit and starting_after.
type Scope struct {
	ClientID uuid.UUID
	Route    string
	Filters  map[string]string
}

// Whole reports whether the scope is every interview of the client.
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

// AppendUUID appends an id in lower case, without quotes, by the encoder that
// encoding/json uses for it.
func AppendUUID(b []byte, id uuid.UUID) []byte {
	text, _ := id.MarshalText() // its error is always nil; inlined, it allocates nothing
	return append(b, text...)
}

// AppendTime appends a time in UTC, without quotes: always with six fractional
// digits, so that texts sort as times do.
func AppendTime(b []byte, t time.Time) []byte {
	t = t.UTC()
	b = t.AppendFormat(b, time.RFC3339) // the layout that time formats fastest
	b = append(b[:len(b)-1], ".000000Z"...)
	micros := t.Nanosecond() / 1000
	for i := len(b) - 2; micros > 0; i-- {
		b[i] += byte(micros % 10)
		micros /= 10
	}
	return b
}

// Timestamp is a time as AppendTime writes it.
func Timestamp(t time.Time) string { return string(AppendTime(nil, t)) }
