package main

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A server that starts while its database is away says so, and serves when it is there; so
// does a console.
func TestServe_WaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := l.Addr().String()
	l.Close()
	u, err := url.Parse(d.ServerURL)
	require.NoError(t, err)
	socket := u.Query().Get("host") + "/.s.PGSQL." + u.Query().Get("port")
	u.Host, u.RawQuery = address, ""
	env := map[string]string{
		"DATABASE_URL": u.String(), "DATABASE_OWNER_URL": strings.Replace(u.String(), u.User.String(), embedded.Owner, 1),
		"CLIENTINTEL_CONSOLE_SECRET": strings.Repeat("s", 32),
	}
	server, console := serveHere(t, env), startHere(t, env, "console", "--listen", "127.0.0.1:0")
	const reason = "the database does not answer"
	for _, s := range []*serving{server, console} {
		waiting := s.next(t, "not ready")
		if body := get(t, waiting.Operations+"/readyz", http.StatusServiceUnavailable); waiting.Reason != reason || body != "not ready: "+reason+"\n" {
			t.Errorf("the log says %+v, /readyz %q", waiting, body)
		}
		if s == console {
			get(t, waiting.Operations+"/api/admin/v1/clients", http.StatusServiceUnavailable)
		}
	}
	l, err = listen.Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer l.Close()
	go forward(l, socket)
	get(t, server.next(t, "serving").Operations+"/readyz", http.StatusOK)
	get(t, console.next(t, "serving the console").Address+"/readyz", http.StatusOK)
	server.end(t)
	console.end(t)
}

// forward connects what l accepts to a Unix socket.
func forward(l net.Listener, socket string) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("unix", socket)
		if err != nil {
			from.Close()
			continue
		}
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		go func() { _, _ = io.Copy(from, to); from.Close() }()
	}
}

// What waiting does not change ends it at once.
func TestServe_WrongSettingsEndItAtOnce(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	for name, c := range map[string]struct{ from, to, says string }{
		"login":    {"clientintel_login", "nobody_there", "does not exist"},
		"database": {d.Name, "no_such_database", "does not exist"},
		"TLS":      {"?", "?sslmode=require&", "refused TLS"},
	} {
		u := strings.Replace(d.ServerURL, c.from, c.to, 1)
		if c.from == "?" {
			server := noTLS(t)
			u = "postgres://u@" + server + "/x?sslmode=require"
		}
		got := command(t, map[string]string{"DATABASE_URL": u}, "", "serve", "--no-migrate", "--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0")
		if got.code != exitFailed || !strings.Contains(got.stderr, c.says) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := command(t, map[string]string{"DATABASE_URL": "postgres://u@127.0.0.1:1/x"}, "", "serve", "--tls-cert", "/no/such", "--tls-key", "/no/such")
	if got.code != exitFailed || !strings.Contains(got.stderr, "reading the certificate") {
		t.Errorf("a certificate that is not there: %+v", got)
	}
}

// noTLS answers like a PostgreSQL without TLS.
func noTLS(t *testing.T) string {
	t.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 8))
			_, _ = conn.Write([]byte("N"))
			conn.Close()
		}
	}()
	return l.Addr().String()
}
