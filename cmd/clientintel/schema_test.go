package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// ownerCommands are the commands that work with the owner's login and do not migrate. The
// first ones may create the schema in an empty database.
var ownerCommands = []struct {
	args    string
	creates bool
}{
	{"import -", true},
	{"keys list", true},
	{"keys issue --client acme --name x", true},
	{"keys rotate x", true},
	{"keys revoke x", true},
	{"keys audit", true},
	{"keys mend-window x", true},
	{"clients list", false},
	{"clients export acme", false},
	{"clients purge acme --yes", false},
	{"measurement audit", false},
	{"measurement rebuild --client acme", false},
	{"measurement cutover --client acme --legacy", false},
}

// migrateTo migrates up to the migration of a number.
func migrateTo(ctx context.Context, ownerURL string, version int64) error {
	all, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		return err
	}
	files := fstest.MapFS{}
	for _, name := range all {
		text, err := migrations.Files.ReadFile(name)
		if err != nil {
			return err
		}
		if n, err := goose.NumericComponent(name); err == nil && n <= version {
			files[name] = &fstest.MapFile{Data: text}
		}
	}
	_, err = postgres.Migrate(ctx, ownerURL, files, slog.New(slog.DiscardHandler))
	return err
}

// contents sums up the relations, functions and applied migrations of a database.
func contents(t *testing.T, d *dbtest.Database) string {
	t.Helper()
	applied := "none"
	migrated := dbtest.Value[bool](t, d, "SELECT to_regclass('public.goose_db_version') IS NOT NULL")
	if migrated {
		d.Query(t, &applied, "SELECT string_agg(version_id::text, ',' ORDER BY id) FROM goose_db_version")
	}
	objects := dbtest.Value[string](t, d, `SELECT coalesce(md5(string_agg(o.name, ',' ORDER BY o.name)), '') FROM (
		SELECT c.oid::regclass::text || c.relnatts FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT p.oid::regprocedure || md5(p.prosrc) FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace) AS o (name)`)
	return applied + " " + objects
}

// Only migrate, demo and a migrating serve change an existing schema: every other
// command stops with one sentence that says what to run, and leaves it as it is.
func TestRun_OtherSchemasAreLeftAlone(t *testing.T) {
	t.Parallel()
	ours := postgres.SchemaVersion()
	older := dbtest.NewEmpty(t)
	require.NoError(t, migrateTo(t.Context(), older.OwnerURL, ours-1))
	newer := dbtest.New(t)
	newer.Exec(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", ours+1)
	foreign := dbtest.NewEmpty(t)
	foreign.Exec(t, "CREATE TABLE orders (id integer)")
	for name, c := range map[string]struct {
		database *dbtest.Database
		want     string
	}{
		"older": {older, fmt.Sprintf("the database's schema is at version %d and this release needs version %d: run 'clientintel migrate'", ours-1, ours)},
		"newer": {newer, fmt.Sprintf("the database's schema is at version %d, which is newer than version %d of this release: run the release that migrated it", ours+1, ours)},
		"foreign": {foreign, "this database holds tables of another program and no schema of clientintel: " +
			"name a database of its own with --database-url"},
	} {
		before := contents(t, c.database)
		if name == "foreign" {
			got := command(t, map[string]string{"DATABASE_URL": c.database.OwnerURL}, "", "migrate")
			if got.code != exitFailed || got.stderr != "clientintel: "+c.want+"\n" {
				t.Errorf("migrate on the %s schema: %+v, want %q", name, got, c.want)
			}
		}
		for _, owned := range ownerCommands {
			if name == "newer" && strings.HasPrefix(owned.args, "keys") {
				continue // TestKeys_AfterARollback
			}
			got := command(t, map[string]string{"DATABASE_URL": c.database.OwnerURL}, acme, strings.Fields(owned.args)...)
			if got.code != exitFailed || got.stdout != "" || got.stderr != "clientintel: "+c.want+"\n" {
				t.Errorf("%s on the %s schema: %+v; want exit 1 and %q", owned.args, name, got, c.want)
			}
		}
		check.Equal(t, contents(t, c.database), before, "the schema after", name)
	}
	env := map[string]string{"DATABASE_URL": older.OwnerURL}
	before := contents(t, older)
	last := fmt.Sprintf("%05d_", ours)
	if got := command(t, env, "", "migrate", "--dry-run"); got.code != exitDone || strings.Count(got.stdout, "pending") != 1 || !strings.Contains(got.stdout, last) {
		t.Errorf("what would be applied: %+v, want %s… alone", got, last)
	}
	var statuses []postgres.MigrationStatus
	if decoded(t, env, &statuses, "migrate", "--dry-run"); len(statuses) != 1 || statuses[0].State != postgres.Pending {
		t.Errorf("what would be applied, as JSON: %+v", statuses)
	}
	if decoded(t, env, &statuses, "migrate", "status"); len(statuses) != int(ours) ||
		statuses[0].State != postgres.Applied || statuses[ours-1].State != postgres.Pending {
		t.Errorf("the status: %+v", statuses)
	}
	check.Equal(t, contents(t, older), before, "looking changed the schema")
	done(t, env, "", "migrate")
	done(t, env, acme, "import", "-")
}

// On a schema that it cannot serve, a server that does not migrate says so in
// /readyz and its log, and serves when the schema is migrated.
func TestRun_ServeAwaitsItsSchema(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	require.NoError(t, migrateTo(t.Context(), database.OwnerURL, postgres.SchemaVersion()-1))
	server := serveHere(t, map[string]string{"DATABASE_URL": database.ServerURL}, "--no-migrate")
	waiting := server.next(t, "not ready")
	body := get(t, waiting.Operations+"/readyz", http.StatusServiceUnavailable)
	if body != "not ready: "+waiting.Reason+"\n" || !strings.HasSuffix(waiting.Reason, ": run 'clientintel migrate'") {
		t.Errorf("/readyz answers %q, the log says %q", body, waiting.Reason)
	}
	require.NoError(t, migrateTo(t.Context(), database.OwnerURL, postgres.SchemaVersion()))
	get(t, server.next(t, "serving").Operations+"/readyz", http.StatusOK)
	server.end(t)
}

// import and keys create the schema in an empty database; commands that have nothing to
// work on there do not.
func TestRun_EmptyDatabase(t *testing.T) {
	t.Parallel()
	untouched := dbtest.NewEmpty(t)
	before := contents(t, untouched)
	for _, c := range ownerCommands {
		if !c.creates {
			got := command(t, map[string]string{"DATABASE_URL": untouched.OwnerURL}, acme, strings.Fields(c.args)...)
			if got.code != exitFailed || got.stderr != "clientintel: this database has no schema yet: run 'clientintel migrate'\n" {
				t.Errorf("%s: %+v", c.args, got)
			}
		}
	}
	check.Equal(t, contents(t, untouched), before, "the schema afterwards")
	for _, args := range []string{"import -", "keys list"} { // every command of keys is made alike
		database := dbtest.NewEmpty(t)
		done(t, map[string]string{"DATABASE_URL": database.OwnerURL}, acme, strings.Fields(args)...)
	}
}

// A database whose encoding cannot hold every text is refused before anything is made
// in it, with what to do.
func TestRun_OtherEncodingsAreRefused(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		other := *dbtest.NewEmpty(t)
		name := other.Name + "_" + strings.ToLower(encoding)
		other.Exec(t, fmt.Sprintf("CREATE DATABASE %s OWNER %s ENCODING '%s' LOCALE 'C' TEMPLATE template0", name, embedded.Owner, encoding))
		empty := other
		t.Cleanup(func() { empty.Exec(t, "DROP DATABASE "+name+" WITH (FORCE)") })
		for _, url := range []*string{&other.OwnerURL, &other.SuperuserURL} {
			*url = strings.Replace(*url, other.Name, name, 1)
		}
		want := "clientintel: the database's encoding is " + encoding + ", and search needs UTF8: " +
			"create the database with ENCODING 'UTF8' TEMPLATE template0\n"
		before := contents(t, &other)
		for _, args := range []string{"import -", "keys list", "migrate"} {
			got := command(t, map[string]string{"DATABASE_URL": other.OwnerURL}, acme, strings.Fields(args)...)
			if got.code != exitFailed || got.stdout != "" || got.stderr != want {
				t.Errorf("%s into %s: %+v, want %q", args, encoding, got, want)
			}
		}
		check.Equal(t, contents(t, &other), before, encoding)
	}
}

// Row-level security shows the server's login no client at all: a command that needs
// the owner says so instead of finding that all is well.
func TestRun_TheServersLoginIsRefused(t *testing.T) {
	t.Parallel()
	refused := func(d *dbtest.Database, args, lacks string) {
		t.Helper()
		want := "clientintel: the login clientintel_login " + lacks + ": name its owner's login with --owner-url (DATABASE_OWNER_URL)\n"
		got := command(t, map[string]string{"DATABASE_URL": d.ServerURL}, acme, strings.Fields(args)...)
		if got.code != exitFailed || got.stdout != "" || got.stderr != want {
			t.Errorf("%s: %+v; want exit 1 and %q", args, got, want)
		}
	}
	database := dbtest.New(t)
	server := map[string]string{"DATABASE_URL": database.ServerURL}
	// A server that is not told --no-migrate starts where nothing is to be migrated.
	done(t, server, "", "migrate")
	older := dbtest.NewEmpty(t)
	require.NoError(t, migrateTo(t.Context(), older.OwnerURL, postgres.SchemaVersion()-1))
	refused(older, "migrate", "does not own the schema")
	empty := dbtest.NewEmpty(t)
	for _, args := range []string{"migrate", "import -", "migrate status"} {
		refused(empty, args, "may not create the schema")
	}
}

// An owner need not be a superuser, nor the very role: a member has its rights.
func TestRun_AMemberOfTheOwnerWorks(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	member := "member_" + database.Name
	database.Exec(t, "CREATE ROLE "+member+" CREATEROLE IN ROLE "+embedded.Owner)
	t.Cleanup(func() { database.Exec(t, "DROP OWNED BY "+member+" CASCADE; DROP ROLE "+member) })
	as, err := url.Parse(database.SuperuserURL)
	require.NoError(t, err)
	query := as.Query()
	query.Set("role", member)
	as.RawQuery = query.Encode()
	// The owner creates the schema, then both use it.
	for _, login := range []string{database.OwnerURL, as.String(), database.SuperuserURL} {
		env := map[string]string{"DATABASE_URL": database.ServerURL, "DATABASE_OWNER_URL": login}
		for _, args := range []string{"import -", "measurement audit", "keys list", "migrate status", "migrate"} {
			done(t, env, measured, strings.Fields(args)...)
		}
	}
}

// A dump restored under another owner keeps the policies of the old one: commands would
// find no client and end as if all were well.
func TestCommands_PoliciesOfAnotherOwner(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	done(t, env, acme, "import", "-")
	d.Exec(t, `DO $$ DECLARE p record; BEGIN
		FOR p IN SELECT polrelid::regclass AS owned FROM pg_policy WHERE polname = 'owner_accesses_every_client' LOOP
			EXECUTE format('ALTER POLICY owner_accesses_every_client ON %s TO pg_monitor', p.owned);
			EXECUTE format('ALTER POLICY importer_accesses_every_client ON %s TO pg_monitor', p.owned);
		END LOOP; END $$`)
	for _, args := range []string{"clients list", "measurement audit", "import -"} {
		if got := command(t, env, acme, strings.Fields(args)...); got.code != exitFailed || got.stdout != "" || !strings.Contains(got.stderr, "ALTER POLICY … TO "+embedded.Owner) {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
