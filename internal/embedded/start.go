package embedded

import (
	"context"
	"errors"
	"strings"
	"time"
)

// start runs the server in this process, which holds the server lock. When it
// fails, what it started is stopped.
func (c *Cluster) start(ctx context.Context) error {
	major, err := c.dir.findCluster()
	if err != nil {
		return err
	}
	a, err := serverAccount()
	if err != nil {
		return err
	}
	if err := a.checkReach(ctx, c.dir.dir); err != nil {
		return err
	}
	p, err := c.choose(ctx, a, major)
	if err != nil {
		return err
	}
	base := c.dir.cluster(p.major)
	if err := a.makeDir(base); err != nil {
		return dirError(c.dir.dir, err)
	}
	if major == 0 {
		if err := c.createCluster(ctx, a, p); err != nil {
			return err
		}
	}
	if err := c.clearStalePID(ctx, c.dir.data(p.major)); err != nil {
		return err
	}
	socket, err := a.socketDir(base)
	if err != nil {
		return err
	}
	return c.serve(ctx, a, p, socket)
}

// serve starts the server and creates roles and database. Backends of a killed
// server may take a moment to end; postgres refuses to start beside them.
func (c *Cluster) serve(ctx context.Context, a account, p programs, socket string) error {
	for end := time.Now().Add(time.Minute); ; {
		clearSocket(socket)
		s, err := c.startServer(ctx, a, p, socket)
		if err != nil && strings.Contains(err.Error(), "pre-existing shared memory block") && time.Now().Before(end) {
			if err := sleep(ctx, 10*pollInterval); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if err := createRolesAndDatabase(ctx, socket); err != nil {
			return errors.Join(err, c.stopServer(s))
		}
		c.mu.Lock()
		c.server, c.socket = s, socket
		c.mu.Unlock()
		return nil
	}
}

// supervise starts the server again when it ends by itself, and runs it here when the
// process that ran it has ended. It returns when ctx ends.
func (c *Cluster) supervise(ctx context.Context) {
	for ctx.Err() == nil {
		if !c.Attached() {
			select {
			case <-ctx.Done():
				return
			case <-c.server.done:
			}
			c.log.Error("PostgreSQL ended by itself; starting it again", "error", c.server.err, "log", c.dir.log())
			c.mu.Lock()
			c.server = nil
			c.mu.Unlock()
		} else if locked, err := c.serverLock.tryExclusive(); !locked || err != nil {
			_ = sleep(ctx, 4*pollInterval)
			continue
		} else {
			c.log.Warn("the process that ran PostgreSQL has ended; running it here from now on", "data_dir", c.dir.dir)
		}
		if err := c.start(ctx); err != nil {
			c.serverLock.unlock() // another process may succeed
			if ctx.Err() == nil {
				c.log.Error("starting PostgreSQL again", "error", err)
			}
			_ = sleep(ctx, 5*time.Second)
		} else {
			c.usersLock.unlock()
		}
	}
}
