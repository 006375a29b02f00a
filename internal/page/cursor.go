package page

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
)

// Position is a place in an ordered list: the sort keys of the last row served.
// Times are the list's time keys in order, a missing one being Missing.
type Position struct {
	Times []time.Time
	ID    uuid.UUID
}

// Missing stands for a missing time in sort keys, so that it sorts last: the day before
// year 1, the first year that is accepted. The schema's indexes contain it too.
func Missing() time.Time { return time.Date(0, 12, 31, 0, 0, 0, 0, time.UTC) }

// Scope is the list that a cursor belongs to.
type Scope struct {
	ClientID uuid.UUID
	Route    string
	// Filters are every effective filter but limit, normalised, in a fixed order; null where
	// one is not given. Two scopes with the same JSON are one.
	Filters []any
}

// Codec encodes and decodes cursors. The same position in the same scope gives
// the same text, on every server that shares the secret.
type Codec struct {
	secrets [][]byte // the first one makes cursors, each is accepted
}

// NewCodec takes the secret that all server processes share, and those before it
// whose cursors are still accepted.
func NewCodec(secret []byte, previous ...[]byte) *Codec {
	return &Codec{append([][]byte{secret}, previous...)}
}

// Request reads limit and starting_after of a list; where they are not given, nil.
func (c *Codec) Request(limit *int, startingAfter *string, scope Scope) (Request, error) {
	asked := Request{Limit: *cmp.Or(limit, new(DefaultLimit)), Scope: scope}
	if startingAfter == nil {
		return asked, nil
	}
	after, err := c.Decode(*startingAfter, scope)
	asked.After = &after
	return asked, err
}

// Next is the cursor of the page that starts after a position, nil if there is none.
func (c *Codec) Next(asked Request, next *Position) *string {
	if next == nil {
		return nil
	}
	return new(c.Encode(*next, asked.Scope))
}

const (
	cursorVersion = 1
	macSize       = 16
	maxCursor     = 1024
)

// Encode writes a position as a cursor of the scope.
func (c *Codec) Encode(p Position, scope Scope) string {
	plain := []byte{cursorVersion, byte(len(p.Times))}
	for _, t := range p.Times {
		plain = binary.BigEndian.AppendUint64(plain, uint64(t.UnixMicro()))
	}
	plain = append(plain, p.ID[:]...)
	return base64.RawURLEncoding.EncodeToString(append(plain, mac(c.secrets[0], plain, scope)...))
}

// Decode reads a cursor that Encode made for the same scope. Anything else is the
// caller's mistake, and the error does not say which check failed.
func (c *Codec) Decode(token string, scope Scope) (Position, error) {
	if len(token) > maxCursor {
		return Position{}, apierror.InvalidCursor
	}
	signed, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks; a cursor that has any was edited.
	if err != nil || base64.RawURLEncoding.EncodeToString(signed) != token || len(signed) < macSize+2 {
		return Position{}, apierror.InvalidCursor
	}
	plain, mac := signed[:len(signed)-macSize], signed[len(signed)-macSize:]
	if !c.made(plain, mac, scope) {
		return Position{}, apierror.InvalidCursor
	}
	times := int(plain[1])
	if plain[0] != cursorVersion || len(plain) != 2+8*times+16 {
		return Position{}, apierror.InvalidCursor
	}
	p := Position{ID: uuid.UUID(plain[2+8*times:])}
	for i := range times {
		micros := binary.BigEndian.Uint64(plain[2+8*i:])
		p.Times = append(p.Times, time.UnixMicro(int64(micros)).UTC())
	}
	return p, nil
}

// made reports whether a mac was made with one of the secrets.
func (c *Codec) made(plain, given []byte, scope Scope) bool {
	return slices.ContainsFunc(c.secrets, func(secret []byte) bool { return hmac.Equal(given, mac(secret, plain, scope)) })
}

func mac(secret, plain []byte, scope Scope) []byte {
	signed, _ := json.Marshal([]any{plain, scope}) // texts and numbers
	h := hmac.New(sha256.New, secret)
	h.Write(signed)
	return h.Sum(nil)[:macSize]
}
