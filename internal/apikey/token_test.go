package apikey

import (
	"crypto/sha256"
	"testing"
)

func TestToken_NewOnesParse(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		text, prefix, hash, err := newToken()
		if err != nil {
			t.Fatal(err)
		}
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
	text, prefix, hash, err := newToken()
	if err != nil {
		t.Fatal(err)
	}
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

func FuzzParseToken(f *testing.F) {
	f.Add("cik_0123456789AB_0123456789012345678901234567890123456789012abcdef")
	f.Add("cik_")
	f.Add("cik_0123456789A\x00_x")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, ok := ParseToken(text)
		if ok && (len(parsed.Prefix) != 12 || !isBase62(parsed.Prefix)) {
			t.Errorf("%q gave the prefix %q", text, parsed.Prefix)
		}
	})
}
