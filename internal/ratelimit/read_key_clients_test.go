package ratelimit_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// The client of each key is known from the start, and no other's.
func TestKeyClients_AreRead(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	client := uuid.New()
	d.Exec(t, "INSERT INTO clients (id, slug, name) VALUES ('"+client.String()+"', 'c', 'c')")
	d.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
		VALUES ('held', gen_random_uuid(), '`+client.String()+`', 'k', sha256('held'), '{}')`)
	pool, err := postgres.OpenPool(t.Context(), postgres.PoolSettings{URL: d.ServerURL, Size: ratelimit.Connections})
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	l := ratelimit.New(pool)
	defer l.Close()
	waitUntil(t, func() bool { _, read := l.ClientOf(""); return read })
	for prefix, want := range map[string]uuid.UUID{"held": client, "": uuid.Nil, "unknown": uuid.Nil} {
		if got, _ := l.ClientOf(prefix); got != want {
			t.Errorf("%q is of %s, want %s", prefix, got, want)
		}
	}
	// The server reads nothing else of keys.
	conn, err := pgx.Connect(t.Context(), d.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "SET ROLE "+postgres.ServerRole+"; SELECT prefix FROM api_keys"); postgres.SQLState(err) != "42501" {
		t.Errorf("reading keys: %v, want it refused", err)
	}
}
