//go:build linux

package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Main prepares the base that all tests of a package share, and runs them.
func Main(m *testing.M, base **Base, raced bool) {
	prepared, err := Prepare(context.Background(), raced)
	if err != nil {
		fmt.Fprintln(os.Stderr, "preparing:", err)
		os.Exit(1)
	}
	*base = prepared
	code := m.Run()
	prepared.Close()
	os.Exit(code)
}

// Serve starts a server for a test.
func (b *Base) Serve(t testing.TB, databaseURL string, env ...string) *Server {
	t.Helper()
	s, err := b.StartServer(t.Context(), databaseURL, env...)
	if s != nil {
		t.Cleanup(s.Kill)
	}
	require.NoError(t, err)
	return s
}

// Records is an import file of two canonical clients with so many interviews each. A larger
// one has those of a smaller one, and more.
func Records(t testing.TB, interviews int) string {
	t.Helper()
	var file strings.Builder
	_, err := corpus.Generate(&file, corpus.Options{
		Seed: 1, From: time.Now().AddDate(0, -6, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 8, Synthesis: 10},
			{Slug: "globex", Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 4, Synthesis: 5},
		},
	})
	require.NoError(t, err)
	return file.String()
}

// Key issues a key with every scope.
func (p *Postgres) Key(t testing.TB, client string) string {
	t.Helper()
	keys, err := p.IssueKeys(t.Context(), client, 1)
	require.NoError(t, err)
	return keys[0]
}

// Exec runs a statement as the superuser.
func (p *Postgres) Exec(t testing.TB, sql string) {
	t.Helper()
	require.NoError(t, p.exec(t.Context(), embedded.Database, sql))
}

// Number reads a number as the superuser.
func (p *Postgres) Number(t testing.TB, sql string, args ...any) (n int) {
	t.Helper()
	conn, err := p.Connect(t.Context())
	require.NoError(t, err)
	defer conn.Close(context.Background())
	require.NoError(t, conn.QueryRow(t.Context(), sql, args...).Scan(&n), sql)
	return n
}
