package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/clientintel/clientintel/internal/console"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Console is a console on the server's database, in the role keys.
type Console struct {
	URL  string
	seed *Seed
}

// ConsoleSecret verifies its tokens, unless it has a JWKS.
const ConsoleSecret = "0123456789abcdef0123456789abcdef"

// StartConsole runs a console whose tokens the secret or the JWKS file verifies.
func (s *Server) StartConsole(t testing.TB, seed *Seed, jwks string) *Console {
	t.Helper()
	log := slog.New(slog.NewJSONHandler(s.Logs, nil))
	tokens, err := console.NewTokens(jwks, ConsoleSecret, log, time.Now)
	require.NoError(t, err)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{
		URL: s.Database.OwnerURL, Size: 4, Roles: []string{postgres.KeysRole}, StatementTimeout: 5 * time.Second,
	})
	require.NoError(t, err)
	handler, err := console.New(t.Context(), console.Deps{Pool: pool, Tokens: tokens, Log: log, Now: time.Now, APIURL: s.URL})
	require.NoError(t, err)
	listening := httptest.NewServer(handler)
	t.Cleanup(func() { listening.Close(); pool.Close() })
	return &Console{listening.URL, seed}
}

// Claims are those of a token for a client, or for an operator where it is empty.
func (c *Console) Claims(client string) map[string]any {
	claims := map[string]any{"aud": "clientintel", "sub": "dana@example.com", "exp": time.Now().Add(10 * time.Minute).Unix()}
	if client != "" {
		claims["client_id"] = c.seed.Clients[client]
	}
	return claims
}

// Sign makes a token of claims.
func Sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key}, nil)
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(t, err)
	return token
}

// As signs a client's administrator in.
func (c *Console) As(t testing.TB, client string) string {
	return Sign(t, jose.HS256, []byte(ConsoleSecret), c.Claims(client))
}

// Do sends a request below /api/admin/v1, with a body where it is not nil.
func (c *Console) Do(t testing.TB, method, path, token string, body any, header ...string) *Response {
	t.Helper()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		require.NoError(t, err)
		content = bytes.NewReader(text)
	}
	sent := http.Header{}
	if body != nil {
		sent.Set("Content-Type", "application/json")
	}
	if token != "" {
		sent.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		sent.Set(header[i], header[i+1])
	}
	return Fetch(t, method, c.URL+"/api/admin/v1"+path, sent, content)
}
