package page

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/fault"
)

// Position is a place in an ordered list: the sort keys of the row just served.
// Times are the list's time keys in order, a missing one being year 1.
type Position struct {
	Times []time.Time
	ID    uuid.UUID
}

// Walk is what a cursor belongs to. A cursor of one walk is no cursor of another.
type Walk struct {
	ClientID uuid.UUID
	Route    string
	// Filters are every effective filter but limit, normalised, in a fixed order.
	Filters []string
}

// bytes spells the walk without ambiguity: every part with its length before it.
func (w Walk) bytes() []byte {
	b := append([]byte(nil), w.ClientID[:]...)
	b = appendPart(b, w.Route)
	for _, f := range w.Filters {
		b = appendPart(b, f)
	}
	return b
}

func appendPart(b []byte, part string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(part))), part...)
}

// Sealer makes and opens cursors. The same position in the same walk gives the
// same text, on every server that shares the secret.
type Sealer struct {
	secret []byte
}

// NewSealer takes the secret that all server processes share.
func NewSealer(secret []byte) *Sealer { return &Sealer{secret: secret} }

const (
	cursorVersion = 1
	macSize       = 16
	maxCursor     = 1024
)

// Seal writes a position as a cursor of the walk.
func (s *Sealer) Seal(p Position, w Walk) string {
	plain := []byte{cursorVersion, byte(len(p.Times))}
	for _, t := range p.Times {
		plain = binary.BigEndian.AppendUint64(plain, uint64(t.UnixMicro()))
	}
	plain = append(plain, p.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(append(plain, s.mac(plain, w)...))
}

// Open reads a cursor that Seal made for the same walk. Anything else is the
// caller's mistake, and which check failed is not told.
func (s *Sealer) Open(token string, w Walk) (Position, error) {
	if len(token) > maxCursor {
		return Position{}, fault.InvalidCursor()
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks; a cursor that has any was edited.
	if err != nil || base64.RawURLEncoding.EncodeToString(sealed) != token || len(sealed) < macSize+2 {
		return Position{}, fault.InvalidCursor()
	}
	plain, mac := sealed[:len(sealed)-macSize], sealed[len(sealed)-macSize:]
	if !hmac.Equal(mac, s.mac(plain, w)) {
		return Position{}, fault.InvalidCursor()
	}
	times := int(plain[1])
	if plain[0] != cursorVersion || len(plain) != 2+8*times+16 {
		return Position{}, fault.InvalidCursor()
	}
	p := Position{ID: uuid.UUID(plain[2+8*times:])}
	for i := range times {
		micros := binary.BigEndian.Uint64(plain[2+8*i:])
		p.Times = append(p.Times, time.UnixMicro(int64(micros)).UTC())
	}
	return p, nil
}

func (s *Sealer) mac(plain []byte, w Walk) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write(appendPart(nil, string(plain)))
	h.Write(w.bytes())
	return h.Sum(nil)[:macSize]
}
