package console_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const list = "/clients/acme/keys"

// Only what the portal signed, with every claim, signs in.
func TestTokens_ForgedAndIncompleteOnesAreRefused(t *testing.T) {
	_, console, _ := start(t)
	secret := []byte(apitest.ConsoleSecret)
	with := func(change map[string]any) string {
		claims := console.Claims("acme")
		maps.Copy(claims, change)
		maps.DeleteFunc(claims, func(_ string, v any) bool { return v == "none" })
		return apitest.Sign(t, jose.HS256, secret, claims)
	}
	in := func(d time.Duration) int64 { return time.Now().Add(d).Unix() }
	parts := strings.Split(with(nil), ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	for name, c := range map[string]struct{ token, code string }{
		"no token":                {"", "missing_token"},
		"garbage":                 {"x.y.z", "invalid_token"},
		"alg none":                {none + "." + parts[1] + ".", "invalid_token"},
		"no signature":            {parts[0] + "." + parts[1] + ".", "invalid_token"},
		"another secret":          {apitest.Sign(t, jose.HS256, []byte(strings.Repeat("x", 32)), console.Claims("acme")), "invalid_token"},
		"another algorithm":       {apitest.Sign(t, jose.HS512, []byte(strings.Repeat(apitest.ConsoleSecret, 2)), console.Claims("acme")), "invalid_token"},
		"expired":                 {with(map[string]any{"exp": in(-time.Second)}), "expired_token"},
		"no expiry":               {with(map[string]any{"exp": "none"}), "invalid_token"},
		"expires in two hours":    {with(map[string]any{"exp": in(2 * time.Hour)}), "invalid_token"},
		"not valid yet":           {with(map[string]any{"nbf": in(5 * time.Minute)}), "invalid_token"},
		"another audience":        {with(map[string]any{"aud": "portal"}), "invalid_token"},
		"nobody":                  {with(map[string]any{"sub": " "}), "invalid_token"},
		"an escape as a name":     {with(map[string]any{"sub": "\x1b[2J"}), "invalid_token"},
		"null is no operator":     {with(map[string]any{"client_id": nil}), "invalid_token"},
		"blank is no operator":    {with(map[string]any{"client_id": ""}), "invalid_token"},
		"an object as the client": {with(map[string]any{"client_id": map[string]any{}}), "invalid_token"},
	} {
		t.Run(name, func(t *testing.T) {
			res := console.Do(t, "GET", list, c.token, nil).WantStatus(t, 401)
			if !strings.Contains(string(res.Body), `"code":"`+c.code+`"`) || res.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s, want %s", res.Body, c.code)
			}
		})
	}
	console.Do(t, "GET", list, with(map[string]any{"exp": in(time.Hour), "aud": []string{"portal", "clientintel"}}), nil).WantStatus(t, 200)
}

// Each key of a JWKS verifies its own algorithm, and a key that was replaced none.
func TestTokens_KeysOfAFileVerify(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ec384, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	file := filepath.Join(t.TempDir(), "jwks.json")
	write := func(keys map[string]crypto.Signer) {
		var set jose.JSONWebKeySet
		for kid, key := range keys {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: key.Public(), KeyID: kid})
		}
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: []byte(apitest.ConsoleSecret), KeyID: "shared"})
		text, err := json.Marshal(set)
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		require.NoError(t, err)
	}
	write(map[string]crypto.Signer{"ed": edKey, "ec": ecKey, "rsa": rsaKey, "ec384": ec384})
	console := srv.StartConsole(t, seed, file)
	sign := func(algorithm jose.SignatureAlgorithm, key any, kid string) string {
		return apitest.Sign(t, algorithm, jose.JSONWebKey{Key: key, KeyID: kid}, console.Claims("acme"))
	}
	for _, token := range []string{sign(jose.EdDSA, edKey, "ed"), sign(jose.ES256, ecKey, "ec"), sign(jose.RS256, rsaKey, "rsa"), sign(jose.RS256, rsaKey, "")} {
		console.Do(t, "GET", list, token, nil).WantStatus(t, 200)
	}
	public := edKey.Public().(ed25519.PublicKey)
	for name, token := range map[string]string{
		"the public key as a secret":    sign(jose.HS256, []byte(public), "ed"),
		"a shared secret of the file":   sign(jose.HS256, []byte(apitest.ConsoleSecret), "shared"),
		"the key under another's name":  sign(jose.EdDSA, edKey, "ec"),
		"an algorithm that is not used": sign(jose.PS256, rsaKey, "rsa"),
		"a curve that is not used":      sign(jose.ES384, ec384, "ec384"),
	} {
		t.Run(name, func(t *testing.T) {
			console.Do(t, "GET", list, token, nil).WantError(t, 401, "invalid_token", "Invalid token")
		})
	}
	write(map[string]crypto.Signer{"ec": ecKey})
	console.Do(t, "GET", list, sign(jose.EdDSA, edKey, "ed"), nil).WantError(t, 401, "invalid_token", "Invalid token")
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	console.Do(t, "GET", list, sign(jose.ES256, ecKey, "ec"), nil).WantStatus(t, 200) // the last ones stay
}
