package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is the operating system's account that runs the server: this process's own,
// unless that is root, because PostgreSQL refuses to run as root.
type account struct {
	name     string
	uid, gid int
	switched bool // this process is root and starts children as the account
}

// serverAccount picks the account: for root, postgres or else nobody.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			return accountOf(u)
		}
	}
	return account{}, errors.New("PostgreSQL does not run as root, and there is no account postgres or nobody to run it: start as an ordinary user, or set DATABASE_URL")
}

func accountOf(u *user.User) (account, error) {
	uid, err := strconv.Atoi(u.Uid)
	gid, gidErr := strconv.Atoi(u.Gid)
	if err := cmp.Or(err, gidErr); err != nil {
		return account{}, fmt.Errorf("account %s: %w", u.Username, err)
	}
	return account{name: u.Username, uid: uid, gid: gid, switched: true}, nil
}

// makeDir creates or checks a directory that only the account, and root, can enter.
func (a account) makeDir(path string) error {
	err := os.Mkdir(path, 0o700)
	switch {
	case errors.Is(err, fs.ErrExist):
		return a.checkPrivate(path)
	case err != nil || !a.switched:
		return err
	}
	return os.Lchown(path, a.uid, a.gid)
}

// checkPrivate refuses a directory that another account could have prepared: an
// account that can write there can pose as the server, and one that can enter can
// read its files.
func (a account) checkPrivate(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	uid := int(info.Sys().(*syscall.Stat_t).Uid)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory: move it away", path)
	case uid != a.uid:
		return fmt.Errorf("%s belongs to uid %d, not to %s: move it away, or run as its owner", path, uid, a.name)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other accounts (mode %04o): chmod 700 it", path, info.Mode().Perm())
	}
	return nil
}

// checkReach tries, as the account, to enter dir: PostgreSQL's error would not say what to
// change.
func (a account) checkReach(ctx context.Context, dir string) error {
	if !a.switched {
		return nil
	}
	_, err := run(ctx, a.command(dir, "/bin/sh", "-c", ":"))
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("PostgreSQL does not run as root, and the account %s that runs it cannot enter %s (%w): open it and the directories above it, choose another such as /var/lib/clientintel with --data-dir, or start as an ordinary user",
		a.name, dir, err)
}

// command runs a program of PostgreSQL as the account, in dir, in a session of
// its own: a Ctrl-C at the terminal must not stop the server before the last
// response is sent.
func (a account) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...) //nolint:noctx // a context would kill the server at its end; run and stop shut it down
	cmd.Dir = dir
	cmd.Env = serverEnv(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	dieWithParent(cmd.SysProcAttr)
	return cmd
}
