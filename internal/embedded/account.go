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

// account returns the account for this cluster directory, which need not exist
// yet. In a directory that every account may write to, root does not use the owner.
func (h dataDir) account(cluster string) (account, error) {
	info, err := os.Stat(h.dir)
	if err != nil {
		return account{}, dirError(h.dir, err)
	}
	if info.Mode().Perm()&0o002 != 0 {
		return serverAccount()
	}
	return serverAccount(cluster, h.dir)
}

// serverAccount picks the account: the owner of the first of these paths
// that exists and is not root's, else postgres, else nobody.
func serverAccount(owned ...string) (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "uid " + strconv.Itoa(os.Geteuid()), uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, path := range owned {
		uid, _, err := ownerOf(path)
		if err != nil || uid == 0 {
			continue
		}
		// initdb needs the account to have a name.
		if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
			return accountOf(u)
		}
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

// chown gives the account a path that this process made.
func (a account) chown(path string) error {
	if !a.switched {
		return nil
	}
	return os.Lchown(path, a.uid, a.gid)
}

// makeDir creates or checks a directory that only the account, and root, can
// enter. An empty one of root's remains from a killed start.
func (a account) makeDir(path string) error {
	err := os.Mkdir(path, 0o700)
	if err == nil {
		return a.chown(path)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if uid, _, err := ownerOf(path); err == nil && uid == 0 && a.switched {
		if inside, err := os.ReadDir(path); err == nil && len(inside) == 0 {
			if err := a.chown(path); err != nil {
				return err
			}
		}
	}
	return a.checkPrivate(path)
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
