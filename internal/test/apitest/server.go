package apitest

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/ratelimit"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Server is one test's server on its own database.
type Server struct {
	URL      string
	Database *dbtest.Database
	Logs     *Logs

	keys    map[string]string // by client slug and scopes
	servers []*app.Server
}

// Logs is what the server logged.
type Logs struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Logs) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *Logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Start runs a server with response validation enforced, and two clients, acme
// (legacy) and globex (canonical), to begin with.
func Start(t testing.TB, change ...func(*config.Server)) (*Server, *Seed) {
	t.Helper()
	database := dbtest.New(t)
	s := &Server{Database: database, Logs: &Logs{}, keys: map[string]string{}}
	seed := newSeed(t, database)
	s.URL = s.StartAnother(t, change...)
	return s, seed
}

// StartAnother runs a further server on the same database and returns its URL.
func (s *Server) StartAnother(t testing.TB, change ...func(*config.Server)) string {
	t.Helper()
	all, err := config.FromEnv(os.Getenv)
	require.NoError(t, err)
	settings := all.Server
	settings.ResponseValidation = config.Enforce
	settings.PoolSize = 4
	for _, c := range change {
		c(&settings)
	}
	log := slog.New(slog.NewJSONHandler(io.MultiWriter(s.Logs), nil))
	databaseURL := s.Database.ServerURL
	if most, window, shift := ratelimit.Policy(); most != 600 || window != time.Hour || shift != 0 {
		databaseURL = s.Database.OwnerURL // for others, only the limit of a release is counted
	}
	server, err := app.NewServer(context.Background(), databaseURL, settings, log)
	require.NoError(t, err)
	s.servers = append(s.servers, server)
	listening := httptest.NewServer(server.Handler)
	t.Cleanup(func() {
		listening.Close()
		server.Close()
	})
	return listening.URL
}

// KeepMeasurement does what servers do every ten seconds.
func (s *Server) KeepMeasurement(t testing.TB) {
	t.Helper()
	for _, server := range s.servers {
		require.NoError(t, server.KeepMeasurement(context.Background()))
	}
}

// KeyFor returns a key of the client with the scopes; without any, with all.
func (s *Server) KeyFor(t testing.TB, client string, scopes ...auth.Scope) string {
	t.Helper()
	if len(scopes) == 0 {
		scopes = auth.All()
	}
	name := client
	for _, scope := range scopes {
		name += " " + string(scope)
	}
	if key, ok := s.keys[name]; ok {
		return key
	}
	s.keys[name] = s.Issue(t, apikey.Request{Client: client, Name: name, Scopes: scopes}).Key
	return s.keys[name]
}

// Issue issues a fresh key.
func (s *Server) Issue(t testing.TB, request apikey.Request) apikey.Issued {
	t.Helper()
	var issued apikey.Issued
	s.WithKeys(t, func(r *apikey.Registry) error {
		var err error
		issued, err = r.Issue(context.Background(), request, apikey.By{})
		return err
	})
	return issued
}

// Revoke revokes a key, named by its id or prefix.
func (s *Server) Revoke(t testing.TB, key string) {
	t.Helper()
	s.WithKeys(t, func(r *apikey.Registry) error {
		_, err := r.Revoke(context.Background(), apikey.Named{Key: key}, apikey.By{})
		return err
	})
}

// WithKeys works on the registry of keys, as the operator would.
func (s *Server) WithKeys(t testing.TB, do func(*apikey.Registry) error) {
	t.Helper()
	ctx := context.Background()
	conn, err := postgres.ConnectAs(ctx, s.Database.OwnerURL, postgres.KeysRole)
	require.NoError(t, err)
	defer conn.Close(ctx)
	require.NoError(t, do(apikey.NewRegistry(conn)))
}

// Get sends a GET with a key (none when empty) and reads the whole response.
func (s *Server) Get(t testing.TB, path, key string) *Response {
	t.Helper()
	return s.Send(t, http.MethodGet, path, key, nil)
}

// Send sends any request without a body; header is added to it.
func (s *Server) Send(t testing.TB, method, path, key string, header http.Header) *Response {
	t.Helper()
	return s.send(t, method, path, key, header, nil)
}

// Post sends a body.
func (s *Server) Post(t testing.TB, path, key string, header http.Header, body io.Reader) *Response {
	t.Helper()
	return s.send(t, http.MethodPost, path, key, header, body)
}

func (s *Server) send(t testing.TB, method, path, key string, header http.Header, body io.Reader) *Response {
	t.Helper()
	if header = header.Clone(); header == nil {
		header = http.Header{}
	}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	req := newRequest(t, method, s.URL+path, header, body)
	response := exchange(t, req)
	checkAgainstContract(t, req, response)
	return response
}

// Fetch sends a request to any address and reads the whole response.
func Fetch(t testing.TB, method, url string, header http.Header, body io.Reader) *Response {
	t.Helper()
	return exchange(t, newRequest(t, method, url, header, body))
}

func newRequest(t testing.TB, method, url string, header http.Header, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, body)
	require.NoError(t, err)
	if header != nil {
		req.Header, req.Host = header, header.Get("Host")
	}
	return req
}

func exchange(t testing.TB, req *http.Request) *Response {
	t.Helper()
	request := req.Method + " " + req.URL.RequestURI()
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err, request)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err, request)
	return &Response{Status: res.StatusCode, Header: res.Header, Body: body, request: request}
}
