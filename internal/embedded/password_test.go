package embedded

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Another process of the same account that finds the socket is not let in.
func TestPassword_IsNeededByEveryRole(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	for _, role := range []string{Superuser, Owner, Login} {
		wantQuery(t, c.URL(role, Database), `SELECT current_user`, role)
		for _, password := range []string{"", "postgres"} {
			_, err := tryQuery(t, socketURL(c.socket, role, password, Database), `SELECT 1`)
			if !isCode(err, invalidPassword) && !strings.Contains(errorText(err), "password") {
				t.Errorf("%s with the password %q: %v", role, password, err)
			}
		}
	}
	file := filepath.Join(dir, passwordFile)
	if info, err := os.Stat(file); err != nil || info.Mode() != 0o600 {
		t.Errorf("the password's file: %v, %v; want mode 0600", info, err)
	}
	if left := globbed(t, dir, "pg*", "password*"); len(left) > 0 {
		t.Errorf("the server's account still has %v", left)
	}
	other, err := dataDir{t.TempDir()}.makePassword()
	if err != nil || other == c.password {
		t.Errorf("another directory's password is %q (%v), and this one's is %q", other, err, c.password)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAsRoot_ThePasswordIsRootsAlone(t *testing.T) {
	t.Parallel()
	needRoot(t)
	dir := newDir(t)
	openDir(t, dir)
	if out, err := commandAs(testAccount(t), "/", "/bin/cat", filepath.Join(dir, passwordFile)).CombinedOutput(); err == nil {
		t.Errorf("the server's account reads %s", out)
	}
}

// Clusters that were made without a password get one.
func TestPassword_ClusterThatTrustedItsSocket(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	c := openDir(t, dir)
	query(t, c.URL(Superuser, Database), `CREATE TABLE kept AS SELECT 42 AS n`)
	closeNow(t, c)
	hba := filepath.Join(dataOf(t, dir), "pg_hba.conf")
	if err := os.WriteFile(hba, []byte("local all all trust\nhost all all all reject\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, passwordFile)); err != nil {
		t.Fatal(err)
	}
	c = openDir(t, dir)
	wantQuery(t, c.URL(Superuser, Database), `SELECT n FROM kept`, "42")
	await(t, "the server to want the password", func() bool {
		_, err := tryQuery(t, socketURL(c.socket, Superuser, "x", Database), `SELECT 1`)
		return isCode(err, invalidPassword)
	})
	closeNow(t, c)
	wantQuery(t, openDir(t, dir).OwnerURL(), `SELECT 1`, "1")
}

func TestPassword_Refusals(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	closeNow(t, openDir(t, dir))
	file := filepath.Join(dir, passwordFile)
	right, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, strings.Repeat("A", passwordLength))
	_, err = Open(t.Context(), Options{Dir: dir, DownloadFrom: NoDownload})
	contains(t, err, file+" is not the password that the cluster was made with: restore it from a backup")
	writeFile(t, file, "A")
	wantRefusal(t, Options{Dir: dir, DownloadFrom: NoDownload}, file+" does not hold the 26 characters that were written: restore it from a backup")
	writeFile(t, file, string(right))
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	wantRefusal(t, Options{Dir: dir, DownloadFrom: NoDownload}, file+" must be a file that only its owner can read: chmod 600 it")
}

// The server's processes have another account than root, and every process of
// that account can read their environment.
func TestServerEnv_HoldsNoSecret(t *testing.T) {
	t.Setenv("CLIENTINTEL_CURSOR_SECRET", "a secret of thirty-two characters")
	dir := newDir(t)
	openDir(t, dir)
	text, err := os.ReadFile("/proc/" + strconv.Itoa(postmasterPID(t, dataOf(t, dir))) + "/environ")
	if os.IsNotExist(err) {
		t.Skip("this system shows no environments")
	}
	if err != nil {
		t.Fatal(err)
	}
	for entry := range strings.SplitSeq(strings.TrimRight(string(text), "\x00"), "\x00") {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "LC_ALL", "PGDATA", "PG_GRANDPARENT_PID", "PGLOCALEDIR", "PGSYSCONFDIR":
		default:
			t.Errorf("the server's environment has %s", name)
		}
	}
}
