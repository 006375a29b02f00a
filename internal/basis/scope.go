package basis

import (
	"sort"
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

// Hash is the SHA-256, in hex, of the scope's RFC 8785 form.
func (s Scope) Hash() string {
	names := make([]string, 0, len(s.Filters))
	for name := range s.Filters {
		names = append(names, name)
	}
	sort.Strings(names) // parameter names are ASCII: the same order as by UTF-16

	var b strings.Builder
	b.WriteString(`{"client_id":`)
	writeCanonicalString(&b, s.ClientID.String())
	b.WriteString(`,"filters":{`)
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		writeCanonicalString(&b, name)
		b.WriteByte(':')
		writeCanonicalString(&b, s.Filters[name])
	}
	b.WriteString(`},"route":`)
	writeCanonicalString(&b, s.Route)
	b.WriteByte('}')
	return SHA256([]byte(b.String()))
}

// writeCanonicalString is RFC 8785's string: only the quote, the backslash and
// control characters are escaped, the latter shortly where JSON can.
func writeCanonicalString(b *strings.Builder, text string) {
	const hexDigits = "0123456789abcdef"
	b.WriteByte('"')
	for _, r := range text {
		switch r {
		case '"', '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '\b':
			b.WriteString(`\b`)
		case '\t':
			b.WriteString(`\t`)
		case '\n':
			b.WriteString(`\n`)
		case '\f':
			b.WriteString(`\f`)
		case '\r':
			b.WriteString(`\r`)
		default:
			if r < 0x20 {
				b.WriteString(`\u00`)
				b.WriteByte(hexDigits[r>>4])
				b.WriteByte(hexDigits[r&15])
			} else {
				b.WriteRune(r)
			}
		}
	}
	b.WriteByte('"')
}
