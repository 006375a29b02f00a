package importer

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// unreliable serves a text and breaks off so many times, half way through the rest.
func unreliable(t *testing.T, text string, breaks int, tagged bool) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tagged {
			w.Header().Set("ETag", `"one"`)
		}
		if breaks--; breaks < 0 {
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
			return
		}
		from := 0
		if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && r.Header.Get("If-Range") == `"one"` {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(text)-1, len(text)))
			w.WriteHeader(http.StatusPartialContent)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(text)-from))
		_, _ = io.WriteString(w, text[from:from+(len(text)-from)/2])
	}))
	t.Cleanup(srv.Close)
	return srv
}

func read(t *testing.T, address string) (string, error) {
	t.Helper()
	source, err := Address(address)
	if err != nil {
		return "", err
	}
	in, err := source.Open(t.Context())
	if err != nil {
		return "", err
	}
	defer in.Close()
	if d, is := in.(*download); is {
		d.wait = time.Millisecond
	}
	got, err := io.ReadAll(in)
	return string(got), err
}

func TestADownloadGoesOnWhereItBrokeOff(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789\n", 10_000)
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	for name, c := range map[string]struct {
		breaks int
		tagged bool
		sum    string
		want   string
	}{
		"whole":                {0, false, "", ""},
		"checked":              {0, true, sum, ""},
		"resumed":              {4, true, sum, ""},
		"without a tag":        {1, false, "", "it broke off after 55000 bytes: unexpected EOF"},
		"another checksum":     {0, true, strings.Repeat("0", 64), "its SHA-256 is " + sum + ", not " + strings.Repeat("0", 64)},
		"resumed, another sum": {2, true, strings.Repeat("0", 64), "its SHA-256 is " + sum + ", not " + strings.Repeat("0", 64)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := unreliable(t, text, c.breaks, c.tagged).URL + "/x?token=secret"
			if c.sum != "" {
				address += "#sha256=" + c.sum
			}
			got, err := read(t, address)
			if c.want == "" && (err != nil || got != text) {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
			if c.want != "" && (err == nil || err.Error() != c.want) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// What changed on the server since is not taken for the rest.
func TestADownloadThatChangedIsRefused(t *testing.T) {
	t.Parallel()
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n++
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, n))
		if n > 1 {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(make([]byte, 100)))
			return
		}
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write(make([]byte, 50))
	}))
	t.Cleanup(srv.Close)
	want := "it broke off after 50 bytes: it broke off after 50 bytes, and the server does not give the rest (200 OK): what is there has changed"
	if _, err := read(t, srv.URL); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if _, err := read(t, unreliable(t, "", 0, true).URL[:7]+"127.0.0.1:1/x?token=secret"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nothing there: %v", err)
	}
}

// A server that hangs up in place of an answer is no end of the input, though the error
// wraps io.EOF: the files before it are not imported without it.
func TestAServerThatHangsUpEndsNoInput(t *testing.T) {
	t.Parallel()
	d := setup(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}))
	t.Cleanup(srv.Close)
	source, err := Address(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Import(t.Context(), d.conn, Options{}, Stream("a.ndjson", strings.NewReader(client(""))), source)
	if want := "nothing was imported: " + srv.URL + ": EOF"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if left := d.dump(t); len(left) > 0 {
		t.Errorf("the database holds %v", left)
	}
}

// An address is one source of an import, compressed or not; keys never come from one.
func TestAnImportFromAnAddress(t *testing.T) {
	t.Parallel()
	d := setup(t)
	srv := unreliable(t, gzipped(t, client("")+"\n"+interview("")), 2, true)
	source, err := Address(srv.URL + "/records?token=secret")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := Import(t.Context(), d.conn, Options{}, source)
	if err != nil || sum.Lines != 2 {
		t.Errorf("got %+v, %v", sum, err)
	}
	if _, err := Import(t.Context(), d.conn, Options{WithKeys: true}, source); err == nil ||
		err.Error() != "nothing was imported: "+srv.URL+"/records: keys are accepted from files and standard input only" {
		t.Errorf("keys from an address: %v", err)
	}
	for _, address := range []string{"ftp://x/y", "http://", "https://x/y#md5=1", "https://x/y#sha256=12"} {
		if _, err := Address(address); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
}
