//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
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

// job is a flood in a process of its own, which has a low priority: the observed client is
// to be delayed by the server, not by what floods it.
type job struct {
	Flood  string
	Length time.Duration
	URL    string
	Keys   []string
}

// lowPriority is a tenth of the processor time of what has the usual priority.
const lowPriority = "10"

// run returns how often the flood was answered with each status, as JSON; 0 are connections
// that broke or were refused.
func (j job) run(ctx context.Context) (statuses string, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	child := exec.CommandContext(ctx, "nice", "-n", lowPriority, self, string(text))
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	printed, err := child.Output()
	return string(printed), err
}

// runJob is that process.
func runJob(ctx context.Context, text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	at := slices.IndexFunc(floods(), func(f flood) bool { return f.name == j.Flood })
	if at < 0 {
		return fmt.Errorf("no flood is %q", j.Flood)
	}
	// Where the kernel shares the processors among sessions first, the priority of this one.
	_ = os.WriteFile("/proc/self/autogroup", []byte(lowPriority), 0)
	ctx, cancel := context.WithTimeout(ctx, j.Length)
	defer cancel()
	statuses := new(expvar.Map)
	var all sync.WaitGroup
	for i := range floods()[at].connections {
		all.Go(func() {
			for c := (&connection{flood: floods()[at], job: j, statuses: statuses, number: i}); ctx.Err() == nil; {
				if err := c.open(ctx); err != nil && ctx.Err() == nil {
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
	flood
	job
	tcp      *net.TCPConn // below TLS
	number   int
	statuses *expvar.Map
}

// key is another one for the next connection.
func (c *connection) key() string { return c.Keys[c.number%len(c.Keys)] }

// addresses are as many as a flood comes from.
const addresses = 50

// open opens the connection and uses it until it is closed.
func (c *connection) open(ctx context.Context) error {
	scheme, address, _ := strings.Cut(c.URL, "://")
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
	return c.use(ctx, c)
}

// pause waits, unless the end comes first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
