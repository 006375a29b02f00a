package measurement

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Scope is what a request asked about: a route below the API's prefix, and the
// filters given, as decoded strings, without limit and starting_after.
type Scope struct {
	ClientID uuid.UUID
	Route    string
	Filters  map[string]string
}

// whole tells whether the scope is every interview of the client.
func (s Scope) whole() bool { return s.Route == "/interviews" && len(s.Filters) == 0 }

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
	return hexSHA256([]byte(b.String()))
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

// MembershipHash is the SHA-256, in hex, of ascending ids joined with line
// feeds; of the empty string when there are none.
func MembershipHash(ascending []uuid.UUID) string {
	text := make([]byte, 0, 37*len(ascending))
	for i, id := range ascending {
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, id.String()...)
	}
	return hexSHA256(text)
}

// PreviewID names a basis: the same scope, membership and moment give the same id.
func PreviewID(clientID uuid.UUID, scopeHash, membershipHash string, asOf time.Time) uuid.UUID {
	name := strings.Join([]string{scopeHash, membershipHash, Timestamp(asOf)}, "\n")
	return uuid.NewSHA1(clientID, []byte(name))
}

// Timestamp spells a moment as responses do.
func Timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func sortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
