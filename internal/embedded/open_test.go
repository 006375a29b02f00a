package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// The roles and the database are as the migrations and the pool need them, and the server
// as a trial should be: data as safe as anywhere, letters of Unicode, order by code point.
func TestOpen_FirstStart(t *testing.T) {
	t.Setenv("CLIENTINTEL_CURSOR_SECRET", "a secret of thirty-two characters")
	dir := newDir(t)
	c := openDir(t, dir)
	if c.Attached() {
		t.Error("the first process says that another one runs the server")
	}
	wantQuery(t, c.OwnerURL(), `SELECT current_user || ' ' || current_database()`, Owner+" "+Database)
	wantQuery(t, c.ServerURL(), `SELECT current_user || ' ' || current_database()`, Login+" "+Database)
	wantQuery(t, c.URL(Superuser, Database), `SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()`, Owner)
	wantQuery(t, c.URL(Superuser, Database),
		`SELECT string_agg(concat_ws(' ', rolname, rolcanlogin, rolsuper, rolcreaterole, rolcreatedb, rolbypassrls), E'\n' ORDER BY rolname)
		FROM pg_roles WHERE rolname LIKE 'clientintel%'`,
		"clientintel_auditor f f f f f\nclientintel_importer f f f f f\nclientintel_keys f f f f f\nclientintel_login t f f f f\nclientintel_owner t f f f t\nclientintel_server f f f f f")
	query(t, c.OwnerURL(), `
		CREATE EXTENSION pg_trgm;
		CREATE TABLE items (name text NOT NULL);
		INSERT INTO items VALUES ('одуванчик');
		GRANT SELECT ON items TO clientintel_server;
		SET ROLE clientintel_server`)
	wantQuery(t, c.ServerURL(), `SET ROLE clientintel_server; SELECT name FROM items`, "одуванчик")
	_, err := tryQuery(t, c.ServerURL(), `SET ROLE clientintel_owner`)
	check.Error(t, err, `permission denied to set role "clientintel_owner"`)
	for name, want := range map[string]string{
		"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on",
		"listen_addresses": "", "server_encoding": "UTF8", "jit": "off", "timezone": "UTC", "work_mem": "5MB",
	} {
		wantQuery(t, c.OwnerURL(), "SHOW "+name, want)
	}
	wantQuery(t, c.OwnerURL(), `SELECT lower('ÉΩЯß')`, "éωяß")
	wantQuery(t, c.OwnerURL(), `SELECT string_agg(x, '' ORDER BY x) FROM unnest(ARRAY['b', 'é', 'a', 'B', 'z']) AS x`, "Babzé")

	// Ctrl-C goes to a whole group of processes: the server must live until we stop it.
	pid := postmasterPID(t, dataOf(t, dir))
	if group, err := syscall.Getpgid(pid); err != nil || group != pid {
		t.Errorf("the server is in process group %d (%v), want its own, %d", group, err, pid)
	}
	// Every process of the server's account can read its environment.
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if !os.IsNotExist(err) && (err != nil || strings.Contains(string(text), "secret")) {
		t.Errorf("the server's environment: %q, %v", text, err)
	}

	link := filepath.Join(filepath.Dir(dir), "link")
	require.NoError(t, os.Symlink(dir, link))
	second := openDir(t, link)
	if !second.Attached() || second.OwnerURL() != c.OwnerURL() {
		t.Errorf("by a link: attached %v, URL %s; want the server at %s", second.Attached(), second.OwnerURL(), c.OwnerURL())
	}
}

// A later start keeps the data, and makes up for any step that an earlier one was killed before.
func TestOpen_LaterStart(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	query(t, c.OwnerURL(), `CREATE TABLE kept AS SELECT 42 AS n`)
	query(t, c.URL(Superuser, "postgres"), `DROP ROLE `+Login)
	closeNow(t, c)
	if _, err := os.Stat(filepath.Join(dataOf(t, dir), "postmaster.pid")); err == nil {
		t.Error("the server was not shut down in the orderly way: postmaster.pid is still there")
	}
	c = openDir(t, dir)
	wantQuery(t, c.OwnerURL(), `SELECT n FROM kept`, "42")
	wantQuery(t, c.ServerURL(), `SET ROLE clientintel_server; SELECT 1`, "1")
	query(t, c.URL(Superuser, "postgres"), `DROP DATABASE `+Database)
	closeNow(t, c)
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}
