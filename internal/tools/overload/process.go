//go:build linux

package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// floodCommand is the first argument of a process that is a flood.
const floodCommand = "flood"

// job is what such a process gets on its standard input. It floods until that ends, and
// prints its tally.
type job struct {
	Flood       string
	Address     string // the server's or the balancer's
	Certificate string // the balancer's; a server alone has none
	Keys        []string
	// Program and DatabaseURL are for imports.
	Program, DatabaseURL string
}

// connection is one of a flood's.
type connection struct {
	net.Conn
	flood
	job
	own    *tally
	number int
}

// key is the next connection's another one.
func (c *connection) key() string { return c.Keys[c.number%len(c.Keys)] }

// narrow leaves little space for what is not read.
func (c *connection) narrow() error {
	conn := c.Conn
	if secure, ok := conn.(*tls.Conn); ok {
		conn = secure.NetConn()
	}
	return conn.(*net.TCPConn).SetReadBuffer(8 << 10)
}

// lowPriority is a tenth of the processor time of what has the usual priority, where both
// want it.
const lowPriority = "10"

// startFlood starts a process. stop ends it and returns how its requests were answered.
func startFlood(ctx context.Context, j job) (stop func() (*tally, error), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, "nice", "-n", lowPriority, self, floodCommand)
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	in, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	if err := json.NewEncoder(in).Encode(j); err != nil {
		return nil, err
	}
	return func() (*tally, error) {
		_ = in.Close()
		own := newTally()
		err := json.NewDecoder(out).Decode(own)
		if ended := child.Wait(); err == nil {
			err = ended
		}
		return own, err
	}, nil
}

func runFlood(ctx context.Context) error {
	var j job
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		return err
	}
	at := slices.IndexFunc(floods(), func(f flood) bool { return f.name == j.Flood })
	if at < 0 {
		return fmt.Errorf("no flood is %q", j.Flood)
	}
	// Where the kernel shares the processors among sessions first, the priority of this one.
	_ = os.WriteFile("/proc/self/autogroup", []byte(lowPriority), 0)
	var secure *tls.Config
	if j.Certificate != "" {
		var err error
		if secure, err = cluster.TrustCertificate(j.Certificate); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	own := newTally()
	var all sync.WaitGroup
	for i := range floods()[at].connections {
		all.Go(func() {
			for ctx.Err() == nil {
				if err := use(ctx, &connection{flood: floods()[at], job: j, own: own, number: i}, secure); err != nil {
					own.broke()
					pause(ctx, 100*time.Millisecond)
				}
			}
		})
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	cancel()
	all.Wait()
	return json.NewEncoder(os.Stdout).Encode(own)
}

// addresses are as many as a flood comes from.
const addresses = 50

// use opens a connection and uses it until it is closed.
func use(ctx context.Context, c *connection, secure *tls.Config) error {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.0.1." + strconv.Itoa(1+c.number%addresses))}}
	var err error
	if secure == nil {
		c.Conn, err = dialer.DialContext(ctx, "tcp", c.Address)
	} else {
		c.Conn, err = (&tls.Dialer{NetDialer: dialer, Config: secure}).DialContext(ctx, "tcp", c.Address)
	}
	if err != nil {
		return err
	}
	conn := c.Conn
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return c.use(ctx, c)
}

// pause waits, unless the end comes first.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
