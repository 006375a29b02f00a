//go:build linux

package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
)

// Postgres is a cluster of one's own, on a Unix socket.
type Postgres struct {
	// Dir holds the data, the socket and the log.
	Dir string

	program  string
	settings map[string]string
	uid, gid int
	process  *Process
}

// NewPostgres copies the base's cluster into a directory of its own, or into dir when it
// names one that has none yet, and starts it. Settings are PostgreSQL's.
func (b *Base) NewPostgres(ctx context.Context, dir string, settings map[string]string) (*Postgres, error) {
	program, err := b.postgresProgram()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		dir = filepath.Join(b.dir, strconv.FormatInt(b.copies.Add(1), 10))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	var owner syscall.Stat_t
	if err := syscall.Stat(b.data, &owner); err != nil {
		return nil, err
	}
	p := &Postgres{Dir: dir, program: program, settings: settings, uid: int(owner.Uid), gid: int(owner.Gid)}
	if err := os.Lchown(dir, p.uid, p.gid); err != nil {
		return nil, err
	}
	if _, err := os.Stat(p.data()); err != nil {
		if out, err := exec.CommandContext(ctx, "cp", "-a", b.data, p.data()).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("copying the cluster: %w: %s", err, out)
		}
	}
	return p, p.Start(ctx)
}

func (p *Postgres) data() string { return filepath.Join(p.Dir, "data") }
func (p *Postgres) log() string  { return filepath.Join(p.Dir, "postgres.log") }

// Socket is the path that it listens on.
func (p *Postgres) Socket() string { return filepath.Join(p.Dir, ".s.PGSQL."+p.Port()) }

// Port is what it listens on.
func (p *Postgres) Port() string { return cmp.Or(p.settings["port"], "5432") }

// URL logs in as a role of the embedded package's.
func (p *Postgres) URL(role string) string {
	return p.URLOf(role, embedded.Database)
}

// URLOf logs in to another database of the cluster.
func (p *Postgres) URLOf(role, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database}
	u.RawQuery = url.Values{"host": {p.Dir}, "port": {p.Port()}}.Encode()
	return u.String()
}

// OwnerURL logs in as the owner of the schema.
func (p *Postgres) OwnerURL() string { return p.URL(embedded.Owner) }

// Start starts the server and waits until it takes connections. What a killed
// one left may need a moment to go.
func (p *Postgres) Start(ctx context.Context) error {
	end := time.Now().Add(time.Minute)
	for {
		if err := p.launch(); err != nil {
			return err
		}
		for !p.process.Ended() && time.Now().Before(end) {
			if p.reachable(ctx) {
				return nil
			}
			time.Sleep(20 * time.Millisecond)
		}
		if time.Now().After(end) || ctx.Err() != nil {
			text, _ := os.ReadFile(p.log())
			return fmt.Errorf("PostgreSQL does not start; its log ends: %s", text[max(0, len(text)-2000):])
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (p *Postgres) launch() error {
	settings := map[string]string{
		"listen_addresses": "", "unix_socket_directories": p.Dir, "unix_socket_permissions": "0700", "port": "5432",
		"fsync": "off", "shared_buffers": "32MB", "max_connections": "60", "autovacuum": "off", "logging_collector": "off",
	}
	maps.Copy(settings, p.settings)
	settings["hba_file"] = filepath.Join(p.Dir, "hba.conf") // without passwords
	if err := os.WriteFile(settings["hba_file"], []byte("local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"), 0o644); err != nil {
		return err
	}
	args := []string{"-D", p.data()}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	log, err := os.OpenFile(p.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()         // the server has its own handle
	_ = os.Remove(p.Socket()) // a killed one's
	_ = os.Remove(p.Socket() + ".lock")
	cmd := exec.Command(p.program, args...) //nolint:noctx // it outlives any one context
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.Dir, log, log
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "PGPASSFILE=" + filepath.Join(p.Dir, "passwords")}
	cmd.SysProcAttr = p.asServer()
	p.process, err = startProcess(cmd, syscall.SIGQUIT)
	return err
}

func (p *Postgres) reachable(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.URL(embedded.Superuser))
	if err != nil {
		return false
	}
	return conn.Close(ctx) == nil
}

// Ended reports whether the server has ended.
func (p *Postgres) Ended() bool { return p.process.Ended() }

// Kill ends the postmaster as a kernel out of memory would. Its backends notice.
func (p *Postgres) Kill() {
	p.process.Signal(syscall.SIGKILL)
	<-p.process.Done
}

// Stop shuts down in order: sessions are ended.
func (p *Postgres) Stop() { p.end(syscall.SIGINT) }

// Crash shuts down without tidying up: the next start recovers.
func (p *Postgres) Crash() { p.end(syscall.SIGQUIT) }

func (p *Postgres) end(how syscall.Signal) {
	p.Resume()
	p.process.Signal(how)
	if inTime, _ := p.process.Wait(30 * time.Second); !inTime {
		p.Kill()
	}
}

// Freeze stops every process of the server where it stands: connections stay
// open and nothing answers.
func (p *Postgres) Freeze() { p.signalAll(syscall.SIGSTOP) }

// Resume lets a frozen server go on.
func (p *Postgres) Resume() { p.signalAll(syscall.SIGCONT) }

// signalAll reaches the postmaster first, so that it starts no child in between.
func (p *Postgres) signalAll(s syscall.Signal) {
	p.process.Signal(s)
	for _, pid := range childrenOf(p.process.PID) {
		_ = syscall.Kill(pid, s)
	}
}

// asServer makes a command run as the server's account.
func (p *Postgres) asServer() *syscall.SysProcAttr {
	if os.Geteuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid), Gid: uint32(p.gid)}}
}

func childrenOf(parent int) []int {
	var children []int
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// pid (name) state ppid
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			children = append(children, pid)
		}
	}
	return children
}
