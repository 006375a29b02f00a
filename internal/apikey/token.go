package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// A key reads cik_<prefix>_<secret><checksum>: a prefix of 12 base62 digits
// that finds it, a secret of 43 (256 bits), and the CRC-32 of all before it in
// 6 digits, by which scanners and client tools tell a key and a typo.
const (
	marker      = "cik_"
	prefixLen   = 12
	secretLen   = 43
	checksumLen = 6
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// Token is a bearer token taken apart.
type Token struct {
	Prefix     string
	SecretHash [sha256.Size]byte
}

// ParseToken takes a bearer token apart. ok says that it names a prefix, so
// that the attempt counts towards that key's window; whether the rest is right
// is found by the hash alone. A rest of the wrong shape costs the same work.
func ParseToken(text string) (token Token, ok bool) {
	rest, found := strings.CutPrefix(text, marker)
	if !found || len(rest) < prefixLen+1 || rest[prefixLen] != '_' || strings.Trim(rest[:prefixLen], base62) != "" {
		return Token{}, false
	}
	token.Prefix = rest[:prefixLen]
	// Of a malformed rest the whole text is hashed: no secret begins like it, so
	// a secret without its checksum, say, matches nothing.
	secret := text
	if tail := rest[prefixLen+1:]; len(tail) == secretLen+checksumLen &&
		checksum(text[:len(text)-checksumLen]) == tail[secretLen:] {
		secret = tail[:secretLen]
	}
	token.SecretHash = sha256.Sum256([]byte(secret))
	return token, true
}

// newToken makes a key's text from fresh randomness.
func newToken() (text, prefix string, secretHash [sha256.Size]byte) {
	prefix, secret := random(prefixLen), random(secretLen)
	text = marker + prefix + "_" + secret
	return text + checksum(text), prefix, sha256.Sum256([]byte(secret))
}

func random(n int) string {
	digits := make([]byte, n)
	for i := range digits {
		d, _ := rand.Int(rand.Reader, big.NewInt(int64(len(base62)))) // this reader never fails
		digits[i] = base62[d.Int64()]
	}
	return string(digits)
}

func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	digits := make([]byte, checksumLen)
	for i := checksumLen - 1; i >= 0; i-- {
		digits[i] = base62[sum%62]
		sum /= 62
	}
	return string(digits)
}
