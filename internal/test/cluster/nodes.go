//go:build linux

package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Nodes are the machines of a Citus cluster, each a PostgreSQL of its own. They log in
// to each other on 127.0.0.1 with passwords.
type Nodes struct {
	Coordinator *Postgres
	Workers     []*Postgres
	base        *Base
	// registering is held while workers are added at the coordinator: Citus then sets the
	// roles, which all databases of a worker share, and PostgreSQL refuses to do that
	// twice at once ("tuple concurrently updated").
	registering sync.Mutex
}

// nodePassword is every role's.
const nodePassword = "between nodes"

// NewNodes starts a coordinator and workers. Settings are PostgreSQL's, beside those
// that Citus needs.
func (b *Base) NewNodes(ctx context.Context, workers int, settings map[string]string) (*Nodes, error) {
	n := &Nodes{base: b}
	for range workers + 1 {
		node, err := n.newNode(ctx, settings)
		if err != nil {
			n.Stop()
			return nil, err
		}
		if n.Coordinator == nil {
			n.Coordinator = node
		} else {
			n.Workers = append(n.Workers, node)
		}
	}
	return n, nil
}

func (n *Nodes) newNode(ctx context.Context, settings map[string]string) (*Postgres, error) {
	free, err := freePort(ctx)
	if err != nil {
		return nil, err
	}
	port := strconv.Itoa(free)
	all := map[string]string{
		"shared_preload_libraries": "citus", "listen_addresses": "127.0.0.1", "port": port, "wal_level": "logical",
		"max_prepared_transactions": "200", "max_worker_processes": "100", "max_connections": "250", "citus.node_conninfo": "sslmode=disable",
	}
	for name, value := range settings {
		all[name] = value
	}
	dir := filepath.Join(n.base.dir, "node"+port)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	node, err := n.base.NewPostgres(ctx, dir, all)
	if err != nil {
		return nil, err
	}
	passwords := filepath.Join(dir, "passwords")
	if err := os.WriteFile(passwords, []byte("*:*:*:*:"+nodePassword+"\n"), 0o600); err != nil {
		return nil, err
	}
	if err := os.Lchown(passwords, node.uid, node.gid); err != nil {
		return nil, err
	}
	statements := []string{fmt.Sprintf("ALTER ROLE %s BYPASSRLS", embedded.Owner)}
	for _, role := range []string{embedded.Superuser, embedded.Owner, embedded.Login, embedded.ServerRole} {
		statements = append(statements, fmt.Sprintf("ALTER ROLE %s LOGIN PASSWORD '%s'", role, nodePassword))
	}
	return node, node.exec(ctx, "postgres", statements...)
}

// All are the coordinator and the workers.
func (n *Nodes) All() []*Postgres { return append([]*Postgres{n.Coordinator}, n.Workers...) }

// Stop ends them.
func (n *Nodes) Stop() {
	for _, node := range n.All() {
		if node != nil && !node.Ended() {
			node.Crash()
		}
	}
}

// CreateDatabase makes an empty database on every machine and adds the workers at the
// coordinator, as an administrator does.
func (n *Nodes) CreateDatabase(ctx context.Context, name string) error {
	for _, node := range n.All() {
		if err := node.createCitusDatabase(ctx, name); err != nil {
			return err
		}
	}
	statements := []string{fmt.Sprintf("SELECT citus_set_coordinator_host('127.0.0.1', %s)", n.Coordinator.Port())}
	for _, worker := range n.Workers {
		statements = append(statements, addNode(worker))
	}
	return n.register(ctx, name, statements...)
}

// register adds workers at the coordinator. Roles belong to all databases of a
// machine, so it may fail where another database is set up at the time.
func (n *Nodes) register(ctx context.Context, database string, statements ...string) (err error) {
	n.registering.Lock()
	defer n.registering.Unlock()
	for range 3 {
		if err = n.Coordinator.exec(ctx, database, statements...); err == nil {
			break
		}
	}
	return err
}

func addNode(worker *Postgres) string {
	return fmt.Sprintf("SELECT citus_add_node('127.0.0.1', %s)", worker.Port())
}

func (p *Postgres) createCitusDatabase(ctx context.Context, name string) error {
	if err := p.exec(ctx, "postgres", fmt.Sprintf("CREATE DATABASE %s OWNER %s", name, embedded.Owner)); err != nil {
		return err
	}
	return p.exec(ctx, name, "CREATE EXTENSION citus")
}

// CloneDatabase clones a template on every machine.
func (n *Nodes) CloneDatabase(ctx context.Context, template, name string) error {
	for _, node := range n.All() {
		if err := node.exec(ctx, "postgres", fmt.Sprintf("CREATE DATABASE %s TEMPLATE %s OWNER %s STRATEGY file_copy", name, template, embedded.Owner)); err != nil {
			return err
		}
	}
	return nil
}

// DisallowConnections closes a template database to all connections, Citus's daemon
// included: only then can it be cloned.
func (n *Nodes) DisallowConnections(ctx context.Context, name string) error {
	for _, node := range n.All() {
		if err := node.exec(ctx, "postgres", fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS false", name),
			fmt.Sprintf("SELECT pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity AS a WHERE a.datname = '%s'", name)); err != nil {
			return err
		}
	}
	return nil
}

// DropDatabase drops it everywhere. Other machines and the daemon of Citus may connect
// again while it is dropped.
func (n *Nodes) DropDatabase(ctx context.Context, name string) error {
	all := n.All()
	slices.Reverse(all) // the coordinator last: it ends what is still prepared on workers
	for _, node := range all {
		end := time.Now().Add(30 * time.Second)
		for {
			err := node.exec(ctx, "postgres", fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
			if err == nil {
				break
			}
			if postgres.SQLState(err) != "55006" || time.Now().After(end) {
				return err
			}
			if err := n.Coordinator.exec(ctx, name, "SELECT recover_prepared_transactions()"); err != nil {
				return err
			}
		}
	}
	return nil
}

// exec runs statements one by one, as the administrator.
func (p *Postgres) exec(ctx context.Context, database string, statements ...string) error {
	conn, err := pgx.Connect(ctx, p.URLOf(embedded.Superuser, database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
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
