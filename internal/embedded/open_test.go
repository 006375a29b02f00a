package embedded

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOpen_FirstStartMakesRolesAndDatabase(t *testing.T) {
	t.Parallel()
	c := openDir(t, newDir(t))
	if c.Attached() {
		t.Error("the first process says that another one runs the server")
	}
	wantQuery(t, c.OwnerURL(), `SELECT current_user || ' ' || current_database()`, Owner+" "+Database)
	wantQuery(t, c.ServerURL(), `SELECT current_user || ' ' || current_database()`, Login+" "+Database)
	wantQuery(t, c.URL(Superuser, Database), `SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()`, Owner)
	wantQuery(t, c.URL(Superuser, Database),
		`SELECT string_agg(concat_ws(' ', rolname, rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls), E'\n' ORDER BY rolname)
		FROM pg_roles WHERE rolname LIKE 'clientintel%'`,
		"clientintel_login t f f f f\nclientintel_owner t f t f t\nclientintel_server f f f f f")
}

// What the migrations do as the owner, and the pool as the login.
func TestOpen_OwnerCanMigrateAndLoginCanOnlyServe(t *testing.T) {
	t.Parallel()
	c := openDir(t, newDir(t))
	query(t, c.OwnerURL(), `
		CREATE EXTENSION pg_trgm;
		CREATE TABLE items (name text NOT NULL);
		CREATE INDEX items_name ON items USING gin (name gin_trgm_ops);
		INSERT INTO items VALUES ('одуванчик');
		CREATE ROLE clientintel_other;
		GRANT SELECT ON items TO clientintel_server;
		SET ROLE clientintel_server`)
	wantQuery(t, c.ServerURL(), `SET ROLE clientintel_server; SELECT name FROM items`, "одуванчик")
	_, err := tryQuery(t, c.ServerURL(), `DELETE FROM items`)
	contains(t, err, "permission denied for table items")
	_, err = tryQuery(t, c.ServerURL(), `SET ROLE clientintel_owner`)
	contains(t, err, `permission denied to set role "clientintel_owner"`)
}

// Data in a trial is as safe as anywhere, letters are Unicode, order is by code point.
func TestOpen_Settings(t *testing.T) {
	t.Parallel()
	c := openDir(t, newDir(t))
	for name, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on",
		"listen_addresses": "", "server_encoding": "UTF8", "jit": "off", "timezone": "UTC", "work_mem": "5MB",
	} {
		wantQuery(t, c.OwnerURL(), "SHOW "+name, want)
	}
	wantQuery(t, c.OwnerURL(), `SELECT lower('ÉΩЯß')`, "éωяß")
	wantQuery(t, c.OwnerURL(), `SELECT string_agg(x, '' ORDER BY x) FROM unnest(ARRAY['b', 'é', 'a', 'B', 'z']) AS x`, "Babzé")
	query(t, c.OwnerURL(), `CREATE EXTENSION pg_trgm`)
	wantQuery(t, c.OwnerURL(), `SELECT cardinality(show_trgm('Привет')) > 0`, "t")
}

func TestOpen_LaterStartKeepsData(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	query(t, c.OwnerURL(), `CREATE TABLE kept AS SELECT 42 AS n`)
	closeNow(t, c)
	if _, err := os.Stat(filepath.Join(dataOf(t, dir), "postmaster.pid")); err == nil {
		t.Error("the server was not shut down in the orderly way: postmaster.pid is still there")
	}
	c = openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT n FROM kept`, "42")
}

// A start may be killed between any two steps.
func TestOpen_MakesUpForMissingSteps(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	query(t, c.URL(Superuser, "postgres"), `DROP DATABASE `+Database)
	query(t, c.URL(Superuser, "postgres"), `DROP ROLE `+Login)
	closeNow(t, c)
	c = openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT 1`, "1")
	wantQuery(t, c.ServerURL(), `SET ROLE clientintel_server; SELECT 1`, "1")
}

func TestOpen_LinkAndTargetAreOneDirectory(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	second := openDir(t, link)
	if !second.Attached() || second.OwnerURL() != c.OwnerURL() {
		t.Errorf("by a link: attached %v, URL %s; want the server at %s", second.Attached(), second.OwnerURL(), c.OwnerURL())
	}
}
