//go:build linux

package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
)

// Pooler is PgBouncer in front of a cluster, handing each server connection on
// after every transaction.
type Pooler struct {
	*Process
	port int
}

// NewPooler starts a PgBouncer, a program's path or name, for one login with so
// many server connections. Settings are further lines of its file.
func (b *Base) NewPooler(ctx context.Context, program string, p *Postgres, login string, size int, settings ...string) (*Pooler, error) {
	dir := filepath.Join(b.dir, strconv.FormatInt(b.copies.Add(1), 10))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	port, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "pgbouncer.ini")
	lines := append([]string{
		"[databases]",
		fmt.Sprintf("%s = host=%s port=5432", embedded.Database, p.Dir),
		"[pgbouncer]",
		"listen_addr = 127.0.0.1", "listen_port = " + strconv.Itoa(port), "unix_socket_dir =",
		"auth_type = trust", "auth_file = " + filepath.Join(dir, "users"), "admin_users = " + login,
		"pool_mode = transaction", "default_pool_size = " + strconv.Itoa(size), "max_client_conn = 500",
	}, settings...)
	if err := os.WriteFile(filepath.Join(dir, "users"), []byte(strconv.Quote(login)+` ""`+"\n"), 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()                  // it has its own handle
	cmd := exec.Command(program, file) //nolint:noctx // it outlives any one context
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.SysProcAttr = p.asServer() // root may not run it
	x := &Pooler{port: port}
	if x.Process, err = startProcess(cmd, syscall.SIGKILL); err != nil {
		return nil, fmt.Errorf("starting %s (Debian: the package pgbouncer): %w", program, err)
	}
	if err := x.await(ctx); err != nil {
		text, _ := os.ReadFile(log.Name())
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	return x, nil
}

// URL logs in through the pooler.
func (x *Pooler) URL(login string) string {
	u := url.URL{
		Scheme: "postgres", User: url.User(login), Path: "/" + embedded.Database,
		Host: x.address(), RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Stop ends it, and every connection with it.
func (x *Pooler) Stop() {
	x.Signal(syscall.SIGKILL)
	<-x.Done
}

func (x *Pooler) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(x.port)) }

func (x *Pooler) await(ctx context.Context) error {
	for end := time.Now().Add(20 * time.Second); !x.Ended() && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", x.address())
		if err == nil {
			return conn.Close()
		}
	}
	return fmt.Errorf("the pooler does not listen on %s", x.address())
}

// freePort is one on which no program listens.
func freePort(ctx context.Context) (int, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
