package isolation

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/test/require"
)

// queryCounter is a proxy between a server and its database, and counts what responses cost:
// the statements that ended and the rows that came inside snapshots. Admission,
// and what sets up a connection, are in no transaction and so are not counted.
type queryCounter struct {
	statements, rows atomic.Int64
}

type cost struct{ statements, rows int64 }

func (m *queryCounter) read() cost { return cost{m.statements.Load(), m.rows.Load()} }

func (c cost) since(before cost) cost {
	return cost{c.statements - before.statements, c.rows - before.rows}
}

// startQueryCounter puts a counter before a database and returns the URL that leads
// through it.
func startQueryCounter(t *testing.T, databaseURL string) (*queryCounter, string) {
	t.Helper()
	config, err := pgconn.ParseConfig(databaseURL)
	require.NoError(t, err)
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	m := &queryCounter{}
	go func() {
		for {
			server, err := listener.Accept()
			if err != nil {
				return
			}
			go m.pass(server, config)
		}
	}()
	u := url.URL{
		Scheme: "postgres", Host: listener.Addr().String(), Path: "/" + config.Database,
		User: url.UserPassword(config.User, config.Password), RawQuery: "sslmode=disable",
	}
	return m, u.String()
}

func (m *queryCounter) pass(server net.Conn, config *pgconn.Config) {
	defer server.Close()
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	database, err := (&net.Dialer{}).DialContext(context.Background(), network, address)
	if err != nil {
		return
	}
	defer database.Close()
	go func() {
		_, _ = io.Copy(database, server)
		_ = database.Close()
	}()
	_ = m.count(server, database)
}

// count passes on the database's messages, one by one.
func (m *queryCounter) count(to io.Writer, from io.Reader) error {
	in := bufio.NewReader(from)
	inside := false
	for {
		head := make([]byte, 5) // a type and the length of the rest, itself included
		if _, err := io.ReadFull(in, head); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(in, body); err != nil {
			return err
		}
		switch head[0] {
		case 'C': // a statement has ended; the body is its tag
			tag := strings.TrimRight(string(body), "\x00")
			inside = inside && tag != "COMMIT" && tag != "ROLLBACK" || tag == "BEGIN"
			if inside {
				m.statements.Add(1)
			}
		case 'D':
			if inside {
				m.rows.Add(1)
			}
		}
		if _, err := to.Write(append(head, body...)); err != nil {
			return fmt.Errorf("passing on: %w", err)
		}
	}
}
