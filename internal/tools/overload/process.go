//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"expvar"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lowPriority is a tenth of the processor time of what has the usual priority: the observed
// client is to be delayed by the server, not by what floods it.
const lowPriority = "10"

// run floods an address from a process of its own. It returns how often each status was
// answered, as JSON; 0 are connections that broke or were refused.
func (f flood) run(ctx context.Context, url string, length time.Duration, keys []string) (statuses string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	child := exec.CommandContext(ctx, "nice", append([]string{"-n", lowPriority, self, f.name, url, length.String()}, keys...)...)
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	printed, err := child.Output()
	return string(printed), err
}

// runChild is that process.
func runChild(ctx context.Context, args []string) error {
	at := slices.IndexFunc(floods(), func(f flood) bool { return f.name == args[0] })
	if at < 0 || len(args) < 3 {
		return fmt.Errorf("no flood is %q", args)
	}
	length, err := time.ParseDuration(args[2])
	if err != nil {
		return err
	}
	// Where the kernel shares the processors among sessions first, the priority of this one.
	_ = os.WriteFile("/proc/self/autogroup", []byte(lowPriority), 0)
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	f, statuses := floods()[at], new(expvar.Map)
	var all sync.WaitGroup
	for i := range f.connections {
		all.Go(func() {
			for c := (&connection{number: i, url: args[1], keys: args[3:], statuses: statuses}); ctx.Err() == nil; {
				if err := c.flood(ctx, f); err != nil && ctx.Err() == nil {
					statuses.Add("0", 1)
					pause(ctx, 100*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
	fmt.Print(statuses)
	return nil
}

// connection is one of a flood's.
type connection struct {
	net.Conn
	tcp      *net.TCPConn // below TLS
	number   int
	url      string
	keys     []string
	statuses *expvar.Map
}

// key is another one for the next connection.
func (c *connection) key() string { return c.keys[c.number%len(c.keys)] }

// addresses are as many as a flood comes from.
const addresses = 10

// flood opens the connection and uses it until it is closed.
func (c *connection) flood(ctx context.Context, f flood) error {
	scheme, address, _ := strings.Cut(c.url, "://")
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+c.number%addresses))}
	conn, err := (&net.Dialer{LocalAddr: from}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	c.Conn, c.tcp = conn, conn.(*net.TCPConn)
	if scheme == "https" {
		c.Conn = tls.Client(conn, &tls.Config{ServerName: "127.0.0.1"})
	}
	return f.use(ctx, c)
}

// pause waits, unless the end comes first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
