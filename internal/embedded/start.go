//go:build linux || darwin || freebsd

package embedded

import (
	"context"
	"errors"
	"strings"
	"time"
)

// start runs the server in this process, which holds the keeper's lock. When
// it fails, what it began is stopped.
func (c *Cluster) start(ctx context.Context) error {
	major, err := c.home.newestCluster()
	if err != nil {
		return err
	}
	if major != 0 {
		if err := c.home.checkCluster(major); err != nil {
			return err
		}
	}
	a, err := c.home.account(c.home.cluster(major))
	if err != nil {
		return err
	}
	if err := a.checkReach(ctx, c.home.dir); err != nil {
		return err
	}
	p, err := c.choose(ctx, a, major)
	if err != nil {
		return err
	}
	base := c.home.cluster(p.major)
	if err := a.makeDir(base); err != nil {
		return unusable(c.home.dir, err)
	}
	if major == 0 {
		if err := c.makeCluster(ctx, a, p); err != nil {
			return err
		}
	}
	if err := c.settle(ctx, a, c.home.data(p.major)); err != nil {
		return err
	}
	socket := c.socket // set already when we take over: its URL is in use
	if socket == "" {
		if socket, err = socketDir(ctx, a, base); err != nil {
			return err
		}
	} else if socket != base {
		if err := a.makeDir(socket); err != nil {
			return err
		}
	}
	return c.serve(ctx, a, p, socket)
}

// serve starts the server and makes sure of roles and database. Backends of
// a server that was killed may need a moment to notice; postgres refuses to
// start beside them.
func (c *Cluster) serve(ctx context.Context, a account, p programs, socket string) error {
	for end := time.Now().Add(readyPatience); ; {
		if err := clearSocket(socket); err != nil {
			return err
		}
		s, err := startServer(ctx, c.home, a, p, socket, c.opts)
		var refused *startError
		if errors.As(err, &refused) && strings.Contains(err.Error(), "pre-existing shared memory block") && time.Now().Before(end) {
			if err := sleep(ctx, 10*pause); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := prepare(ctx, socket); err != nil {
			return errors.Join(err, s.stop())
		}
		c.mu.Lock()
		c.server, c.socket = s, socket
		c.mu.Unlock()
		return nil
	}
}

// watch runs the server again when it ends unasked, and takes it over when
// the process that ran it has ended. It returns when ctx ends.
func (c *Cluster) watch(ctx context.Context) {
	defer close(c.watched)
	for ctx.Err() == nil {
		if !c.Attached() {
			select {
			case <-ctx.Done():
				return
			case <-c.server.done:
			}
			c.log.Error("PostgreSQL ended unasked; starting it again", "error", c.server.err, "log", c.home.log())
			c.mu.Lock()
			c.server = nil
			c.mu.Unlock()
		} else if mine, err := c.keeper.tryExclusive(); !mine || err != nil {
			_ = sleep(ctx, 4*pause)
			continue
		} else {
			c.log.Warn("the process that ran PostgreSQL has ended; running it here from now on", "data_dir", c.home.dir)
		}
		if err := c.start(ctx); err != nil {
			c.keeper.unlock() // another process may be luckier
			if ctx.Err() == nil {
				c.log.Error("starting PostgreSQL again", "error", err)
			}
			_ = sleep(ctx, 5*time.Second)
		} else {
			c.users.unlock()
		}
	}
}
