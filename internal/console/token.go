package console

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
)

const (
	audience = "clientintel"
	// maxLifetime is how far ahead a token may expire, and clockLeeway by how much the clocks
	// of portal and console may differ.
	maxLifetime = time.Hour
	clockLeeway = time.Minute
	// MinSecret is the shortest secret, in bytes.
	MinSecret   = 32
	minRSABits  = 2048
	longestName = 200
)

// Tokens verifies the portal's tokens, with a shared secret or the keys of a JWKS file.
type Tokens struct {
	secret []byte
	file   string
	keys   atomic.Pointer[[]jose.JSONWebKey] // those that were last read without an error
	log    *slog.Logger
	now    func() time.Time
}

// NewTokens takes the JWKS file or, where it is empty, the secret.
func NewTokens(file, secret string, log *slog.Logger, now func() time.Time) (*Tokens, error) {
	t := &Tokens{secret: []byte(secret), file: file, log: log, now: now}
	if file == "" {
		return t, nil
	}
	keys, err := readKeys(file)
	t.keys.Store(&keys)
	return t, err
}

// readKeys reads the usable keys of a JWKS file. Keys for other purposes may be beside them.
func readKeys(file string) ([]jose.JSONWebKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the keys of tokens: %w", err)
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("%s is no JWKS: %w", file, err)
	}
	var usable []jose.JSONWebKey
	for _, key := range set.Keys {
		if a := algorithm(key); a != "" && (key.Use == "" || key.Use == "sig") && (key.Algorithm == "" || key.Algorithm == string(a)) {
			usable = append(usable, key)
		}
	}
	if len(usable) == 0 {
		return nil, fmt.Errorf("%s has no public key for EdDSA (Ed25519), ES256 (P-256) or RS256 (%d bits or more)", file, minRSABits)
	}
	return usable, nil
}

// algorithm is the one algorithm that a key verifies here; empty: none.
func algorithm(key jose.JSONWebKey) jose.SignatureAlgorithm {
	switch k := key.Key.(type) {
	case ed25519.PublicKey:
		return jose.EdDSA
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return jose.ES256
		}
	case *rsa.PublicKey:
		if k.N.BitLen() >= minRSABits {
			return jose.RS256
		}
	}
	return ""
}

// Caller is who signed in.
type Caller struct {
	Actor string
	// Client is the one that the token is for; nil: an operator, who sees every client.
	Client *uuid.UUID
}

type claims struct {
	jwt.Claims
	ClientID json.RawMessage `json:"client_id"`
}

// Verify returns whom a request's token signs in.
func (t *Tokens) Verify(r *http.Request) (Caller, error) {
	text := middleware.BearerToken(r)
	if text == "" {
		return Caller{}, apierror.MissingToken
	}
	var c claims
	if err := t.open(text, &c); err != nil {
		return Caller{}, apierror.InvalidToken("").Because(err)
	}
	now := t.now()
	switch {
	case c.Expiry == nil:
		return Caller{}, apierror.InvalidToken("exp is missing: name the second at which the token expires")
	case !now.Before(c.Expiry.Time()):
		return Caller{}, apierror.ExpiredToken
	case c.Expiry.Time().After(now.Add(maxLifetime + clockLeeway)):
		return Caller{}, apierror.InvalidToken("exp is more than an hour ahead")
	case !c.Audience.Contains(audience):
		return Caller{}, apierror.InvalidToken("aud must be " + audience)
	case strings.TrimSpace(c.Subject) == "" || len(c.Subject) > longestName || strings.ContainsFunc(c.Subject, unicode.IsControl):
		return Caller{}, apierror.InvalidToken("sub must name the administrator, in 1 to 200 bytes without control characters")
	}
	if err := c.ValidateWithLeeway(jwt.Expected{Time: now}, clockLeeway); err != nil {
		return Caller{}, apierror.InvalidToken("nbf or iat is later than now")
	}
	caller := Caller{Actor: c.Subject}
	if c.ClientID != nil { // null is no operator: the portal may have lost the id
		var text string
		id, err := uuid.UUID{}, json.Unmarshal(c.ClientID, &text)
		if err == nil && len(text) == 36 {
			id, err = uuid.Parse(text)
		}
		if err != nil || len(text) != 36 {
			return Caller{}, apierror.InvalidToken("client_id must be the client's id, a UUID; an operator's token has none")
		}
		caller.Client = &id
	}
	return caller, nil
}

// open verifies a token's signature and reads its claims. Only the algorithm that a key is
// for is accepted, whatever the token's header says.
func (t *Tokens) open(text string, into *claims) error {
	if t.file == "" {
		token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.HS256})
		if err != nil {
			return err
		}
		return token.Claims(t.secret, into)
	}
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256, jose.RS256})
	if err != nil {
		return err
	}
	header := token.Headers[0]
	for _, key := range t.currentKeys() {
		if string(algorithm(key)) != header.Algorithm || header.KeyID != "" && key.KeyID != "" && header.KeyID != key.KeyID {
			continue
		}
		if token.Claims(key.Key, into) == nil {
			return nil
		}
	}
	return errors.New("no key of the JWKS verifies it")
}

// currentKeys reads the file again, so that keys can be replaced while the console runs.
func (t *Tokens) currentKeys() []jose.JSONWebKey {
	keys, err := readKeys(t.file)
	if err != nil {
		t.log.Warn("the last keys stay in use", "error", err.Error())
		return *t.keys.Load()
	}
	t.keys.Store(&keys)
	return keys
}
