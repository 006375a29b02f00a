package app_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// writeCertificate writes a certificate of this number for 127.0.0.1.
func writeCertificate(t *testing.T, number int64, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(number), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		require.NoError(t, os.WriteFile(name, pem.EncodeToMemory(block), 0o600))
	}
}

// A server without a proxy speaks TLS, knows so, and reads a renewed certificate without a
// restart.
func TestServe_TLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, 1, certFile, keyFile)
	at, _, _ := newServer(t, func(s *config.Server) { s.TLSCert, s.TLSKey = certFile, keyFile }).serve(t)
	// Each request is a connection of its own; the certificate is signed by itself.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}}
	serial := func() int64 {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+at+"/api/client/v1/openapi.json", nil)
		require.NoError(t, err)
		response, err := client.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		check.Equal(t, response.StatusCode, http.StatusOK, "status")
		if response.ProtoMajor != 2 || response.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%s, headers %v; want HTTP/2 and that browsers keep to TLS", response.Proto, response.Header)
		}
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	check.Equal(t, serial(), 1, "certificate")
	refused := func(method, path string, headers http.Header, want int) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "https://"+at+path, nil)
		require.NoError(t, err)
		request.Header = headers
		response, err := client.Do(request)
		require.NoError(t, err)
		_ = response.Body.Close()
		check.Equal(t, response.StatusCode, want, method, path)
	}
	refused(http.MethodPost, "/api/client/v1/mcp", http.Header{"Origin": {"https://elsewhere.example"}}, http.StatusForbidden)
	refused(http.MethodPost, "/api/client/v1/mcp", http.Header{"Origin": {"https://" + at}}, http.StatusUnauthorized)
	// Files that do not fit each other leave the present certificate in use.
	require.NoError(t, os.WriteFile(keyFile, []byte("half written"), 0o600))
	time.Sleep(1100 * time.Millisecond)
	check.Equal(t, serial(), 1, "the certificate beside a broken key")
	writeCertificate(t, 2, certFile, keyFile)
	time.Sleep(1100 * time.Millisecond)
	check.Equal(t, serial(), 2, "the certificate after the renewal")
}
