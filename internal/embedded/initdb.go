package embedded

import (
	"context"
	"crypto/rand"
	_ "embed" // the roles
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// createCluster creates the cluster under another name and renames it when it
// is complete. The name is new each time, since a killed initdb may still be
// writing under the last one.
func (c *Cluster) createCluster(ctx context.Context, a account, p programs, password string) error {
	base := c.dir.cluster(p.major)
	c.removeInits(ctx, base)
	passwords, err := a.writeFile(base, "password.init-", password)
	if err != nil {
		return dirError(c.dir.dir, err)
	}
	fresh := filepath.Join(base, "data.init-"+rand.Text())
	defer os.RemoveAll(fresh)
	c.log.Info("creating the PostgreSQL cluster", "version", p.major, "data_dir", c.dir.dir)
	err = initdb(ctx, a, p, fresh, passwords)
	_ = os.Remove(passwords)
	if err != nil {
		return err
	}
	if err := os.Rename(fresh, c.dir.data(p.major)); err != nil {
		return dirError(c.dir.dir, err)
	}
	return syncDir(base)
}

// writeFile writes a file that the account can read, under a new name.
func (a account) writeFile(dir, prefix, text string) (string, error) {
	f, err := os.CreateTemp(dir, prefix)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close(), a.chown(f.Name())); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// removeInits removes what killed starts left. An initdb that the kernel is
// stopping may still add files.
func (c *Cluster) removeInits(ctx context.Context, base string) {
	for end := time.Now().Add(5 * time.Second); ; {
		failed := removeAll(base, "*.init-*")
		if failed == nil {
			return
		}
		if time.Now().After(end) || sleep(ctx, pollInterval) != nil {
			c.log.Warn("leaving what an interrupted start left", "error", failed)
			return
		}
	}
}

// initdb creates a cluster with letters by Unicode and order by code point, in the
// first of these locales that the system has. From 17 on PostgreSQL has such a
// provider built in; the system's locale still defines the letters of text search.
func initdb(ctx context.Context, a account, p programs, dir, passwords string) error {
	var output string
	var failed error
	for _, ctype := range []string{"C.UTF-8", "en_US.UTF-8"} {
		args := []string{
			"--locale=C", "--lc-ctype=" + ctype, "--pgdata=" + dir, "--username=" + Superuser, "--encoding=UTF8", "--data-checksums",
			"--pwfile=" + passwords, "--auth-local=scram-sha-256", "--auth-host=reject", "--no-instructions",
		}
		if p.major >= 17 {
			args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
		}
		output, failed = run(ctx, a.command(filepath.Dir(dir), p.initdb(), args...))
		if failed == nil || ctx.Err() != nil {
			return failed
		}
		if !strings.Contains(output, "invalid locale") {
			break
		}
	}
	return fmt.Errorf("%s could not create a cluster in %s (%w)%s", p.initdb(), filepath.Dir(dir), failed, quote(output, 8))
}

// syncDir makes a rename survive a power loss.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
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
func createRolesAndDatabase(ctx context.Context, socket, password string) error {
	conn, err := pgx.Connect(ctx, socketURL(socket, Superuser, password, "postgres"))
	if err != nil {
		return fmt.Errorf("connecting to the new server: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// Several statements in one simple query are one transaction.
	if _, err := conn.PgConn().Exec(ctx, strings.ReplaceAll(roleStatements, "PASSWORD 'PASSWORD'", "PASSWORD '"+password+"'")).ReadAll(); err != nil {
		return fmt.Errorf("making the roles: %w", err)
	}
	var trigrams bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')`).Scan(&trigrams); err != nil {
		return fmt.Errorf("looking for pg_trgm: %w", err)
	}
	if !trigrams {
		return errors.New("this PostgreSQL lacks the extension pg_trgm: install its contrib package (postgresql-contrib or alike)")
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
	// "on" is pglz, which took half of the time of an import of ten million.
	if _, err := conn.Exec(ctx, `DO $$ BEGIN
		IF EXISTS (SELECT FROM pg_settings WHERE name = 'wal_compression' AND 'lz4' = ANY (enumvals)) THEN
			ALTER DATABASE `+Database+` SET wal_compression = 'lz4';
		END IF;
	END $$`); err != nil {
		return fmt.Errorf("choosing the log's compression: %w", err)
	}
	return nil
}
