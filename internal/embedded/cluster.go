package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	pollInterval = 50 * time.Millisecond
	// closeGrace is how long Close waits for other processes: enough for a short command.
	// A process that runs longer takes the server over.
	closeGrace = 5 * time.Second
)

// Cluster is an open data directory with a running server.
type Cluster struct {
	dir     dataDir
	opts    Options
	places  []string // in which programs are searched for
	release release  // what is downloaded where none are there
	log     *slog.Logger

	serverLock lockFile // exclusive: this process runs the server
	usersLock  lockFile // shared: this process uses a server that another runs

	mu     sync.Mutex
	server *process // nil while another process runs it
	socket string   // socket directory

	cancel      context.CancelFunc // ends supervise
	supervising sync.WaitGroup
	closing     sync.Once
	closed      error
}

// Open joins the server that already runs in o.Dir, else starts one. The
// error names the directory and what to change.
func Open(ctx context.Context, o Options) (*Cluster, error) {
	return open(ctx, o, usualPlaces(), pinned)
}

// open is Open with where programs come from, which tests replace.
func open(ctx context.Context, o Options, places []string, r release) (*Cluster, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Cluster{opts: o, places: places, release: r, log: o.Log}
	err := c.openDir()
	if err == nil {
		err = c.joinOrStart(ctx)
	}
	if err != nil {
		c.closeLocks()
		return nil, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	ctx, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	c.supervising.Go(func() { c.supervise(ctx) })
	return c, nil
}

func (c *Cluster) openDir() (err error) {
	if c.dir, err = openDataDir(c.opts.Dir); err != nil {
		return err
	}
	if c.serverLock, err = openLock(c.dir, "postgres.lock"); err != nil {
		return err
	}
	c.usersLock, err = openLock(c.dir, "postgres.users")
	return err
}

func (c *Cluster) closeLocks() {
	c.usersLock.close()
	c.serverLock.close()
}

// joinOrStart takes the server lock and starts the server, or waits until the
// server of the process that holds the lock answers.
func (c *Cluster) joinOrStart(ctx context.Context) error {
	known := c.logAfter(2*time.Second, "waiting for another process that is starting or stopping PostgreSQL", "lock", c.serverLock.Name())
	defer known()
	for {
		if alone, err := c.serverLock.tryExclusive(); err != nil {
			return err
		} else if alone {
			known()
			return c.start(ctx)
		}
		joined, err := c.usersLock.tryShared()
		if err != nil {
			return err
		}
		if joined {
			if ready, err := c.attach(ctx); ready || err != nil {
				return err
			}
			c.usersLock.unlock()
		}
		if err := sleep(ctx, pollInterval); err != nil {
			return err
		}
	}
}

// attach uses the other process's server and reports whether it is ready. A server that
// has not started yet and one that has ended look the same: try again.
func (c *Cluster) attach(ctx context.Context) (bool, error) {
	major, err := c.dir.findCluster()
	if err != nil || major == 0 {
		return false, err
	}
	a, err := serverAccount()
	if err != nil {
		return false, err
	}
	socket, err := a.socketDir(c.dir.cluster(major))
	if err != nil {
		return false, err
	}
	if canConnect(ctx, socketURL(socket, Login, Database)) != nil {
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.socket = socket
	return true, nil
}

// Attached reports whether another process runs the server right now.
func (c *Cluster) Attached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server == nil
}

// OwnerURL connects to Database as Owner.
func (c *Cluster) OwnerURL() string { return c.URL(Owner, Database) }

// ServerURL connects to Database as Login, which has to take ServerRole.
func (c *Cluster) ServerURL() string { return c.URL(Login, Database) }

// URL connects to a database of the cluster as the role named. It stays good
// for as long as the cluster is open, whichever process runs the server.
func (c *Cluster) URL(role, database string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return socketURL(c.socket, role, database)
}

func socketURL(socket, role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	// Encode writes a space as +, which pgx and libpq take as it is.
	u.RawQuery = strings.ReplaceAll(url.Values{"host": {socket}, "port": {port}}.Encode(), "+", "%20")
	return u.String()
}

// Close stops the server if this process runs it, once other processes have finished, or
// ctx ends, or after five seconds. The shutdown itself has its own bound, because ending it
// early would make the next start recover. Further calls return what the first one did.
func (c *Cluster) Close(ctx context.Context) error {
	c.closing.Do(func() {
		c.cancel()
		c.supervising.Wait()
		defer c.closeLocks()
		if c.Attached() {
			return
		}
		c.awaitUsers(ctx)
		if err := c.stopServer(c.server); err != nil {
			c.closed = fmt.Errorf("embedded PostgreSQL: %w", err)
			return
		}
		if filepath.Dir(c.socket) != c.dir.dir {
			_ = os.Remove(c.socket) // empty by now
		}
	})
	return c.closed
}

// awaitUsers returns once no other process uses the server. Its exclusive lock then makes
// new processes wait for the end of the shutdown.
func (c *Cluster) awaitUsers(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, closeGrace)
	defer stop()
	for logged := false; ; logged = true {
		if last, err := c.usersLock.tryExclusive(); last || err != nil {
			return
		}
		if !logged {
			c.log.Info("other processes use this PostgreSQL; letting them finish", "data_dir", c.dir.dir)
		}
		if sleep(ctx, pollInterval) != nil {
			return
		}
	}
}

// sleep returns early, with the cause, when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// logAfter logs unless the returned function is called within the delay.
func (c *Cluster) logAfter(delay time.Duration, message string, args ...any) (stop func() bool) {
	return time.AfterFunc(delay, func() { c.log.Info(message, args...) }).Stop
}
