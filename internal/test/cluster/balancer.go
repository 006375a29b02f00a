//go:build linux

package cluster

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"time"
)

// Balancer is HAProxy with the configuration that deploy/ has, in front of two servers.
type Balancer struct {
	*Process
	// Address is where it accepts TLS.
	Address string
	// Certificate is the file of the one that it shows, which is its own authority.
	Certificate string
}

// Backend is one server that a balancer knows, each address as host:port.
type Backend struct{ API, Operations string }

// StartBalancer starts HAProxy with a configuration file. It writes into dir.
func StartBalancer(ctx context.Context, dir, config string, backends [2]Backend) (*Balancer, error) {
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	b := &Balancer{
		Address:     net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		Certificate: filepath.Join(dir, "balancer.pem"),
	}
	if err := writeCertificate(b.Certificate); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(config)
	if err != nil {
		return nil, err
	}
	if os.Geteuid() != 0 { // others may not change their account
		text = regexp.MustCompile(`(?m)^ +(user|group|chroot) .*\n`).ReplaceAll(text, nil)
	}
	log, err := os.Create(filepath.Join(dir, "haproxy.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()                                  // it has its own handle
	cmd := exec.Command("haproxy", "-f", "/dev/stdin") //nolint:noctx // it outlives any one context
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), log, log
	cmd.Env = append(os.Environ(), "BIND="+b.Address, "CERTIFICATE="+b.Certificate,
		"API_1="+backends[0].API, "OPS_1="+backends[0].Operations, "API_2="+backends[1].API, "OPS_2="+backends[1].Operations)
	if b.Process, err = startProcess(cmd, syscall.SIGKILL); err != nil {
		return nil, fmt.Errorf("starting haproxy (Debian: the package haproxy): %w", err)
	}
	for end := time.Now().Add(20 * time.Second); !b.Ended() && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", b.Address); err == nil {
			return b, conn.Close()
		}
	}
	printed, _ := os.ReadFile(log.Name())
	return nil, fmt.Errorf("haproxy does not listen on %s: %s", b.Address, printed)
}

// Stop ends it, and every connection with it.
func (b *Balancer) Stop() {
	b.Signal(syscall.SIGKILL)
	<-b.Done
}

// writeCertificate writes one for 127.0.0.1, and its key.
func writeCertificate(file string) error {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	private, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...)
	return os.WriteFile(file, text, 0o600)
}
