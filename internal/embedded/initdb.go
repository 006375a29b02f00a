package embedded

import (
	"context"
	"crypto/rand"
	_ "embed" // the roles
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/sql/roles"
)

// createCluster creates the cluster under another name and renames it when it
// is complete. The name is new each time, since a killed initdb may still be
// writing under the last one.
func (c *Cluster) createCluster(ctx context.Context, a account, p programs) error {
	base := c.dir.cluster(p.major)
	removeAll(base, "data.init-*") // left by killed starts
	fresh := filepath.Join(base, "data.init-"+rand.Text())
	defer os.RemoveAll(fresh)
	c.log.Info("creating the PostgreSQL cluster", "version", p.major, "data_dir", c.dir.dir)
	if err := initdb(ctx, a, p, fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, c.dir.data(p.major)); err != nil {
		return dirError(c.dir.dir, err)
	}
	return nil
}

// initdb creates a cluster with letters by Unicode and order by code point. From 17 on
// PostgreSQL has such a provider built in; the system's locale still defines the letters of
// text search.
func initdb(ctx context.Context, a account, p programs, dir string) error {
	args := []string{
		"--locale=C", "--lc-ctype=C.UTF-8", "--pgdata=" + dir, "--username=" + Superuser, "--encoding=UTF8", "--data-checksums",
		"--auth-local=trust", "--auth-host=reject", "--no-instructions",
	}
	if p.major >= 17 {
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	}
	output, err := run(ctx, a.command(filepath.Dir(dir), p.initdb(), args...))
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s could not create a cluster in %s (%w)%s", p.initdb(), filepath.Dir(dir), err, quote(output, 8))
}

// quote formats the last lines of a program's output for an error.
func quote(output string, n int) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if lines[0] == "" && len(lines) == 1 {
		return ""
	}
	return ":\n\t" + strings.Join(lines[max(0, len(lines)-n):], "\n\t")
}

// roleStatements create the roles of options.go.
//
//go:embed roles.sql
var roleStatements string

// createRolesAndDatabase creates what an earlier start has not, at whichever step
// it was killed.
func createRolesAndDatabase(ctx context.Context, socket string) error {
	conn, err := pgx.Connect(ctx, socketURL(socket, Superuser, "postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the new server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Several statements in one simple query are one transaction.
	if _, err := conn.Exec(ctx, roles.Create+roleStatements, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("making the roles: %w", err)
	}
	var made bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, Database).Scan(&made); err != nil {
		return fmt.Errorf("looking for the database: %w", err)
	}
	if !made {
		if _, err := conn.Exec(ctx, "CREATE DATABASE "+Database+" OWNER "+Owner); err != nil {
			return fmt.Errorf("making the database: %w", err)
		}
	}
	return nil
}
