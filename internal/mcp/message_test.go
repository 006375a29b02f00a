package mcp

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/clientintel/clientintel/internal/apierror"
)

func TestCheckMessage(t *testing.T) {
	t.Parallel()
	for _, good := range []string{
		`{}`,
		` {"a":1} `,
		`{"a":{"b":1},"b":{"b":1}}`,
		`{"a":[{"x":1},{"x":1}]}`,
		`{"params":{"arguments":{"a":1,"a":2}}}`,
		`{"a":"` + strings.Repeat(`{[`, 1000) + `"}`,
		strings.Repeat(`{"a":`, maxDepth-1) + `{}` + strings.Repeat(`}`, maxDepth-1),
	} {
		if err := checkMessage([]byte(good)); err != nil {
			t.Errorf("%.80s is refused: %v", good, err)
		}
	}
	for _, bad := range []string{
		``, ` `, `1`, `"a"`, `null`, `[]`, `[{}]`, `{`, `{}{}`, `{} x`, `{"a":1,}`, `{"a" 1}`, `{'a':1}`, "{\"a\":\"\xff\"}",
		`{"a":1,"a":1}`,
		`{"a":1,"\u0061":1}`,
		`{"a":[{"b":1,"b":1}]}`,
		`{"params":{"arguments":{"a":{"b":1,"b":1}}}}`,
		`{"params":{"arguments":{},"arguments":{}}}`,
		`{"arguments":{"a":1,"a":2}}`,
		`{"x":{"params":{"arguments":{"a":1,"a":2}}}}`,
		`{"params":[{"arguments":{"a":1,"a":2}}]}`,
		strings.Repeat(`{"a":`, maxDepth) + `{}` + strings.Repeat(`}`, maxDepth),
		`{"a":` + strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth) + `}`,
	} {
		if err := checkMessage([]byte(bad)); err == nil {
			t.Errorf("%.80s is taken", bad)
		}
	}
}

// A body that is too slow is told from one that ends early.
func TestReadBody_TooSlowIsNotCutShort(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		closes bool
		want   string
	}{{false, "the body did not come in time"}, {true, "the body ended before it was complete"}} {
		refused := make(chan error, 1)
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, err := new(request).readBody(w, r)
			refused <- err
		}))
		server.Config.ReadTimeout = 200 * time.Millisecond
		server.Start()
		t.Cleanup(server.Close)
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
		if c.closes {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
		if e, _ := errors.AsType[*apierror.Error](<-refused); e == nil || e.Details != c.want || e.Kind != apierror.KindInvalid {
			t.Errorf("got %+v, want %s", e, c.want)
		}
	}
}

// What passes is one JSON object to every reader.
func FuzzCheckMessage(f *testing.F) {
	for _, seed := range []string{`{}`, `{"params":{"arguments":{"a":1,"a":2}}}`, `[{}]`, `{"a":[1,{"b":null}]}`, `{"a":1} `, `{"a":{"a":1}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if checkMessage([]byte(body)) != nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal([]byte(body), &object); err != nil || object == nil || !utf8.ValidString(body) {
			t.Fatalf("%q passes and is no object: %v", body, err)
		}
	})
}
