package apikey

import (
	"crypto/sha256"
	"regexp"
	"strings"
	"testing"
)

func TestToken_NewOnesParse(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		text, prefix, hash := newToken()
		if len(text) != len("cik_")+12+1+43+6 {
			t.Fatalf("%q has %d characters", text, len(text))
		}
		parsed, ok := ParseToken(text)
		if !ok || parsed.Prefix != prefix || parsed.SecretHash != hash {
			t.Fatalf("%q parses as %+v, %v", text, parsed, ok)
		}
		if seen[prefix] {
			t.Fatalf("prefix %s came twice", prefix)
		}
		seen[prefix] = true
	}
}

// A token with a real prefix and a wrong rest must still name the prefix: the
// attempt counts towards that key's window.
func TestToken_WrongRestsNameThePrefixAndMatchNothing(t *testing.T) {
	text, prefix, hash := newToken()
	secret := text[len("cik_")+13 : len(text)-6]
	if sha256.Sum256([]byte(secret)) != hash {
		t.Fatal("the stored hash is not the secret's SHA-256")
	}
	for name, wrong := range map[string]string{
		"no checksum":     text[:len(text)-6],
		"other checksum":  text[:len(text)-6] + "AAAAAA",
		"cut":             text[:30],
		"nothing behind":  "cik_" + prefix + "_",
		"something added": text + "x",
	} {
		parsed, ok := ParseToken(wrong)
		if !ok || parsed.Prefix != prefix {
			t.Errorf("%s: prefix %q, %v; want %q", name, parsed.Prefix, ok, prefix)
		}
		if parsed.SecretHash == hash {
			t.Errorf("%s: the hash is the right one", name)
		}
	}
}

// A token names a prefix exactly when it begins like a key; its hash is the
// secret's only where the whole of it is one, checksum included.
func FuzzParseToken(f *testing.F) {
	const secret = "0123456789012345678901234567890123456789012"
	whole := "cik_0123456789AB_" + secret
	for _, text := range []string{
		whole + checksum(whole), whole + "abcdef", whole, "cik_0123456789AB_", "cik_0123456789AB", "cik_", "CIK_0123456789AB_x", "cik_0123456789A\x00_x",
		"cik_0123456789A\xff_x", whole + checksum(whole) + " ", "cik_0123456789AB_" + strings.Repeat("é", 24) + "x",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, ok := ParseToken(text)
		if begins := keyStart.MatchString(text); ok != begins {
			t.Fatalf("%q: taken is %v, want %v", text, ok, begins)
		}
		if !ok {
			if parsed != (Token{}) {
				t.Fatalf("%q is refused and reads %+v", text, parsed)
			}
			return
		}
		if parsed.Prefix != text[4:16] {
			t.Fatalf("%q gave the prefix %q", text, parsed.Prefix)
		}
		hashed := text
		if len(text) == 4+12+1+43+6 && checksum(text[:60]) == text[60:] {
			hashed = text[17:60]
		}
		if parsed.SecretHash != sha256.Sum256([]byte(hashed)) {
			t.Fatalf("%q is not hashed as %q", text, hashed)
		}
	})
}

var keyStart = regexp.MustCompile(`^cik_[0-9A-Za-z]{12}_`)
