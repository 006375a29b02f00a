package apitest

import (
	"context"
	"io"
	"net/http"
	"testing"
)

// Post sends a body with a key (none when empty) and reads the whole response;
// header is added to it.
func (s *Server) Post(t testing.TB, path, key string, header http.Header, body io.Reader) *Response {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.URL+path, body)
	if err != nil {
		t.Fatalf("making the request: %v", err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
	defer res.Body.Close()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("POST %s: reading the body: %v", path, err)
	}
	return &Response{Status: res.StatusCode, Header: res.Header, Body: content, request: "POST " + path}
}
