package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"regexp"
	"strings"
)

// A key reads cik_<prefix>_<secret><checksum>: a prefix of 12 base62 digits by which it
// is found, a secret of 43 (256 bits), and in 6 digits the CRC-32 of all before it, by
// which scanners and client tools recognise a key and a typo.
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

// ParseToken takes a bearer token apart. ok reports whether it has a prefix, so that the
// attempt counts towards that key's quota. The hash alone decides whether the rest is
// right; a malformed rest costs the same work.
func ParseToken(text string) (token Token, ok bool) {
	rest, found := strings.CutPrefix(text, marker)
	if !found || len(rest) < prefixLen+1 || rest[prefixLen] != '_' || strings.Trim(rest[:prefixLen], base62) != "" {
		return Token{}, false
	}
	token.Prefix = rest[:prefixLen]
	// If the rest is malformed, the whole text is hashed: it matches no secret, not even
	// where only the checksum is missing.
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

var wholeKey = regexp.MustCompile(marker + `([` + base62 + `]{12})_[` + base62 + `]+`)

// Redact leaves of each key in a text its prefix.
func Redact(text string) string { return wholeKey.ReplaceAllString(text, marker+"${1}_…") }
