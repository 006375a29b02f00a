package apitest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// WithQueriesRewritten starts a further server on the same database, behind a
// proxy that rewrites each named query's text: the database answers other columns
// than the server's code was generated for. options are added to the database URL.
func (s *Server) WithQueriesRewritten(t testing.TB, options string, rewrite func(name, sql string) string) *Server {
	t.Helper()
	config, err := pgconn.ParseConfig(s.Database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "rewriter") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL."+strconv.Itoa(int(config.Port)))) //nolint:noctx // closed with the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = listener.Close()
		_ = os.RemoveAll(dir)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go passOn(conn, config, func(sql string) string {
				return namedQuery.ReplaceAllStringFunc(sql, func(query string) string {
					return rewrite(namedQuery.FindStringSubmatch(query)[1], query)
				})
			})
		}
	}()
	through, err := url.Parse(s.Database.ServerURL)
	if err != nil {
		t.Fatal(err)
	}
	query := through.Query()
	query.Set("host", dir)
	query.Set("port", strconv.Itoa(int(config.Port)))
	query.Set("sslmode", "disable")
	through.RawQuery = query.Encode()
	database := *s.Database
	database.ServerURL = through.String() + options
	further := &Server{Database: &database, Logs: &Logs{}}
	further.URL = further.StartAnother(t)
	return further
}

// namedQuery is a generated query, alone or in a batch of the simple protocol.
var namedQuery = regexp.MustCompile(`-- name: (\w+) [^;]*`)

func passOn(client net.Conn, config *pgconn.Config, rewrite func(string) string) {
	defer client.Close()
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	server, err := config.DialFunc(context.Background(), network, address)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()
	_ = rewriteMessages(server, client, rewrite)
}

// rewriteMessages passes a client's messages on: the first has no type, and those
// of the types P (parse) and Q (query) have a query's text.
func rewriteMessages(to io.Writer, from io.Reader, rewrite func(string) string) error {
	for kind := []byte{}; ; kind = []byte{0} {
		if _, err := io.ReadFull(from, kind); err != nil {
			return err
		}
		var length [4]byte
		if _, err := io.ReadFull(from, length[:]); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(length[:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return err
		}
		if len(kind) == 1 && (kind[0] == 'P' || kind[0] == 'Q') {
			name, rest := []byte{}, body
			if kind[0] == 'P' {
				end := bytes.IndexByte(body, 0) + 1
				name, rest = body[:end], body[end:]
			}
			sql, rest, found := bytes.Cut(rest, []byte{0})
			if !found {
				return errors.New("a query without an end")
			}
			body = append(append(append(bytes.Clone(name), rewrite(string(sql))...), 0), rest...)
		}
		message := binary.BigEndian.AppendUint32(bytes.Clone(kind), uint32(len(body)+4))
		if _, err := to.Write(append(message, body...)); err != nil {
			return err
		}
	}
}
