package app

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strconv"
	"sync"
	"time"
)

// systemdSocket is the file descriptor of the first socket that systemd passes.
const systemdSocket = 3

// listenAPI takes the socket that systemd passed, or opens one. systemd's stays open while
// the service restarts: connections wait on it and none is refused.
func listenAPI(ctx context.Context, address string) (net.Listener, error) {
	sockets, _ := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	if sockets > 0 && os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid()) {
		if sockets > 1 {
			return nil, fmt.Errorf("systemd passes %d sockets: name one address in the socket's unit, the API's", sockets)
		}
		file := os.NewFile(systemdSocket, "systemd")
		defer file.Close() // the listener has a copy
		l, err := net.FileListener(file)
		if err != nil {
			return nil, fmt.Errorf("taking the socket that systemd passed: %w", err)
		}
		return l, nil
	}
	return Listen(ctx, address, "--listen")
}

// Listen listens on an address, which the flag names. 0.0.0.0 is IPv4 alone, as written: Go
// would listen on IPv6 too.
func Listen(ctx context.Context, address, flag string) (net.Listener, error) {
	network := "tcp"
	if host, _, err := net.SplitHostPort(address); err == nil && net.ParseIP(host).To4() != nil {
		network = "tcp4"
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("listening: %w: free the address or choose another with %s", err, flag)
	}
	return l, nil
}

// certificate is a TLS certificate that is read again while it is used.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	read    time.Time
	current *tls.Certificate
}

// certificateInterval is how often the files are read again.
const certificateInterval = time.Second

func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	read, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate (--tls-cert, --tls-key): %w", err)
	}
	return &certificate{certFile: certFile, keyFile: keyFile, log: log, read: time.Now(), current: &read}, nil
}

// get is for tls.Config. The last certificate stays in use while the two files do not
// match, as during a renewal.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.read) < certificateInterval {
		return c.current, nil
	}
	c.read = time.Now()
	again, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		c.log.Warn("the certificate is not read again", "error", err.Error())
		return c.current, nil
	}
	c.current = &again
	return c.current, nil
}
