package httpapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// one accepts one connection.
type one struct {
	net.Listener
	conn net.Conn
}

func (l one) Accept() (net.Conn, error) { return l.conn, nil }

// deafConn reads nothing until it is closed.
type deafConn struct {
	net.Conn
	closed chan struct{}
}

func (c deafConn) Read([]byte) (int, error) {
	<-c.closed
	return 0, net.ErrClosed
}

// A caller that begins with TLS and does not read ends its handshake, as one that does
// not write.
func TestListen_HandshakesEnd(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		closed := make(chan struct{})
		go func() {
			_ = tls.Client(deafConn{far, closed}, &tls.Config{InsecureSkipVerify: true}).HandshakeContext(t.Context())
		}()
		conn, err := NewConnections().Listen(one{conn: near}, config).Accept()
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := conn.Read(make([]byte, 1)); err == nil || time.Since(began) != handshakeTimeout {
			t.Errorf("reading ends after %s (%v), want %s", time.Since(began), err, handshakeTimeout)
		}
		close(closed)
		_, _ = near.Close(), far.Close()
	})
}
