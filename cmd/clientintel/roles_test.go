package main

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// loginWith makes a login that is a member of one role, and returns its URL.
func loginWith(t *testing.T, d *dbtest.Database, role string) string {
	t.Helper()
	name := strings.TrimPrefix(role, "clientintel_") + "_" + d.Name
	d.Exec(t, "CREATE ROLE "+name+" LOGIN IN ROLE "+role)
	t.Cleanup(func() { d.Exec(t, "DROP ROLE "+name) })
	return strings.Replace(d.OwnerURL, "clientintel_owner", name, 1)
}

// Each command works with its role alone, and no other role does its work.
func TestCommands_WorkWithTheirRoleAlone(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	prefix, _ := issueKey(t, map[string]string{"DATABASE_URL": d.OwnerURL})
	urls := map[string]string{}
	for _, role := range []string{postgres.ServerRole, postgres.ImporterRole, postgres.KeysRole, postgres.AuditorRole} {
		urls[role] = loginWith(t, d, role)
	}
	urls["owner"] = d.OwnerURL
	for _, c := range []struct{ args, roles string }{
		{"import -", "importer"},
		{"clients list", "importer"},
		{"clients export acme", "importer"},
		{"erase --client acme --email nobody@example.com", "importer"},
		{"sync status", "importer"},
		{"keys issue --client acme --name x", "keys"},
		{"keys rotate --grace 1h " + prefix, "keys"},
		{"keys mend-window --all", "keys"},
		{"keys list", "auditor keys"},
		{"keys usage --client acme", "auditor keys"},
		{"keys audit", "auditor keys"},
		{"keys revoke --client acme --all", "keys"},
		{"clients export acme --with-keys", ""},
		{"import --with-keys -", ""},
		{"measurement audit", ""},
		{"measurement rebuild --all", ""},
		{"migrate status", ""},
		{"clients purge acme --yes", "importer"},
	} {
		roles := append([]string{"owner"}, strings.Fields(c.roles)...)
		for role, url := range urls {
			may := false
			for _, r := range roles {
				may = may || strings.TrimPrefix(role, "clientintel_") == r
			}
			args := strings.Replace(c.args, prefix, "-", 1)
			stdin := acme
			if args != c.args {
				// One key of its own is rotated by each.
				issued := command(t, map[string]string{"DATABASE_URL": d.OwnerURL}, "", "keys", "issue", "--client", "acme", "--name", "y")
				stdin = issued.stdout
			}
			if strings.HasPrefix(args, "clients purge") {
				done(t, map[string]string{"DATABASE_URL": d.OwnerURL}, acme, "import", "-")
			}
			got := command(t, map[string]string{"DATABASE_URL": url}, stdin, strings.Fields(args)...)
			worked := got.code == exitDone || strings.Contains(got.stderr, "the client has no such interview")
			refused := got.code == exitFailed && (strings.Contains(got.stderr, "may not take the role clientintel_") || strings.Contains(got.stderr, "does not own the schema"))
			if worked != may || refused == may {
				t.Errorf("%s with %s: %+v, want it done: %t", c.args, role, got, may)
			}
		}
	}
}

// What a role may not do it cannot do by SQL either.
func TestRoles_HaveNoOtherRights(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	issueKey(t, map[string]string{"DATABASE_URL": d.OwnerURL})
	d.Exec(t, "UPDATE api_keys SET revoked_at = now()")
	for role, statements := range map[string][]string{
		postgres.ImporterRole: {
			"SELECT secret_hash FROM api_keys", "UPDATE api_keys SET revoked_at = NULL", "DELETE FROM api_keys", "SELECT * FROM key_audits",
			"SELECT * FROM request_log", "SELECT secret FROM server_secrets", "UPDATE measurement_states SET members = 0",
		},
		postgres.KeysRole: {
			"SELECT * FROM interviews", "SELECT * FROM synthesis_documents", "SELECT secret_hash FROM api_keys", "UPDATE api_keys SET scopes = '{}'",
			"UPDATE api_keys SET secret_hash = sha256('x')", "DELETE FROM api_keys", "DELETE FROM request_log", "DELETE FROM key_audits",
			"UPDATE key_audits SET actor = 'x'", "TRUNCATE key_audits", "INSERT INTO key_audits (client_id, action, key_id, account, actor, detail, login) " +
				"SELECT id, 'issue', id, 'x', 'x', 'x', 'somebody' FROM clients", "UPDATE clients SET allowed_scopes = NULL",
			"SELECT delete_keys('{}', false, 'x')", "UPDATE api_keys SET revoked_at = NULL", "UPDATE api_keys SET revoked_at = 'infinity'",
		},
		// Nor does the owner change what was audited, or take a revocation back.
		embedded.Owner: {"UPDATE api_keys SET revoked_at = NULL", "UPDATE key_audits SET actor = 'x'", "DELETE FROM key_audits", "TRUNCATE key_audits"},
		postgres.AuditorRole: {
			"SELECT * FROM interviews", "SELECT secret_hash FROM api_keys", "UPDATE api_keys SET revoked_at = now()", "INSERT INTO key_usage SELECT * FROM key_usage",
			"INSERT INTO key_audits (client_id, action, key_id, account, actor, detail) SELECT id, 'issue', id, 'x', 'x', 'x' FROM clients",
		},
	} {
		if role != embedded.Owner {
			statements = append(statements, "CREATE TABLE public.mine ()", "SELECT admit('{}', '{}', '{}', 600, '1 hour', '0')")
		}
		conn := dbtest.Connect(t, d.OwnerURL)
		for _, statement := range append([]string{"SET ROLE " + role}, statements...) {
			_, err := conn.Exec(t.Context(), statement)
			if refused := postgres.SQLState(err) == "42501"; refused == strings.HasPrefix(statement, "SET ROLE") {
				t.Errorf("%s: %s: %v", role, statement, err)
			}
		}
	}
}

// After a rollback keys can still be revoked: on the schema of the release after, if it
// serves this one.
func TestKeys_AfterARollback(t *testing.T) {
	t.Parallel()
	d, env := onDatabase(t)
	prefix, _ := issueKey(t, env)
	ours := postgres.SchemaVersion()
	d.Exec(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, true)", ours+1)
	newer := fmt.Sprintf("clientintel: the database's schema is at version %d, which is newer than version %d of this release: run the release that migrated it\n", ours+1, ours)
	if got := command(t, env, acme, "import", "-"); got.stderr != newer {
		t.Errorf("import: %+v, want %s", got, newer)
	}
	later := fmt.Sprintf("%05d                        of a later release", ours+1)
	if got := command(t, env, "", "migrate", "status"); got.code != exitDone || !strings.Contains(got.stdout, later) {
		t.Errorf("migrate status: %+v, want %q", got, later)
	}
	if got := command(t, env, "", "keys", "revoke", prefix); got.code != exitDone || !strings.Contains(got.stderr, "is revoked since") {
		t.Errorf("revoke: %+v", got)
	}
	d.Exec(t, fmt.Sprintf("CREATE OR REPLACE FUNCTION oldest_served_version() RETURNS bigint LANGUAGE sql IMMUTABLE RETURN %d", ours+1))
	if got := command(t, env, "", "keys", "revoke", prefix); got.stderr != newer {
		t.Errorf("revoke on a schema that serves no server of this release: %+v, want %s", got, newer)
	}
}

// In a database whose schema public everyone may fill, the server's login could become the
// owner: by a function that fits the arguments of ours better than PostgreSQL's own.
func TestRun_ASchemaThatEveryoneMayFillIsRefused(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t)
	owner := map[string]string{"DATABASE_URL": d.OwnerURL}
	d.Exec(t, "GRANT CREATE ON SCHEMA public TO PUBLIC")
	refused := func(want string, commands ...string) {
		t.Helper()
		for _, args := range commands {
			if got := command(t, owner, acme, strings.Fields(args)...); got.code == exitDone || !strings.Contains(got.stderr+got.stdout, want) {
				t.Errorf("%s: %+v, want %q", args, got, want)
			}
		}
	}
	remedy := "REVOKE CREATE ON SCHEMA public FROM PUBLIC;"
	refused(remedy, "migrate", "import -", "keys list")
	d.Exec(t, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	done(t, owner, acme, "import", "-")
	// Somebody grants it anew, and the attack begins.
	d.Exec(t, "GRANT CREATE ON SCHEMA public TO PUBLIC")
	d.Exec(t, `SET ROLE clientintel_login;
		CREATE FUNCTION public.trap() RETURNS void LANGUAGE plpgsql AS $f$
		BEGIN
			IF current_user <> session_user OR current_user = 'clientintel_owner' THEN
				EXECUTE $q$CREATE OR REPLACE FUNCTION public.as_owner(q text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN EXECUTE q; END'$q$;
			END IF;
		END $f$;
		CREATE FUNCTION public.unnest(a uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql AS $f$
		BEGIN PERFORM public.trap(); RETURN QUERY SELECT pg_catalog.unnest(a); END $f$;`)
	commands := []string{"migrate", "import -", "keys list", "keys mend-window --all", "clients list", "measurement audit", "doctor", "serve --no-migrate --listen 127.0.0.1:0 --ops-listen 127.0.0.1:0"}
	refused(remedy, commands...)
	// The right is taken away, and what was made stays.
	d.Exec(t, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
	refused("DROP FUNCTION trap(); DROP FUNCTION unnest(uuid[]);", commands...)
	var owned bool
	if d.Query(t, &owned, "SELECT to_regprocedure('public.as_owner(text)') IS NOT NULL"); owned {
		t.Error("the trap was run with the owner's rights")
	}
	d.Exec(t, "DROP FUNCTION trap(), unnest(uuid[])")
	done(t, owner, acme, "import", "-")
}

// An owner that may make no roles migrates once an administrator has run what is printed;
// before, nothing is left behind.
func TestMigrate_PrintsTheRoles(t *testing.T) {
	t.Parallel()
	d := dbtest.NewEmpty(t)
	const owner = `an "owner's" login`
	d.Exec(t, `CREATE ROLE "an ""owner's"" login" LOGIN`)
	d.Exec(t, fmt.Sprintf(`ALTER DATABASE %s OWNER TO "an ""owner's"" login"`, d.Name))
	t.Cleanup(func() {
		d.Exec(t, fmt.Sprintf(`ALTER DATABASE %s OWNER TO clientintel_owner; DROP OWNED BY "an ""owner's"" login" CASCADE; DROP ROLE "an ""owner's"" login"`, d.Name))
	})
	env := map[string]string{"DATABASE_URL": strings.Replace(d.OwnerURL, "clientintel_owner", url.User(owner).String(), 1)}
	before := contents(t, d)
	if got := command(t, env, "", "migrate"); got.code != exitFailed || !strings.HasSuffix(got.stderr, "let an administrator run what 'clientintel migrate --print-roles' prints\n") {
		t.Errorf("without the roles: %+v", got)
	}
	check.Equal(t, contents(t, d), before, "the migration that was refused left something behind")
	printed := command(t, env, "", "migrate", "--print-roles")
	for range 2 {
		d.Exec(t, printed.stdout)
	}
	for _, args := range []string{"migrate", "import -", "keys issue --client acme --name x", "doctor"} {
		if got := command(t, env, acme, strings.Fields(args)...); got.code != exitDone && !strings.Contains(got.stdout, "fsync") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
