// Command withpostgres runs a command with a PostgreSQL server for the tests in it, so that
// each test process need not start its own.
package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

func main() {
	err := run(os.Args[1:])
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(failed.ExitCode())
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(args []string) error {
	dir, unlock, err := lockDir()
	if err != nil {
		return err
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cluster, err := dbtest.StartCluster(ctx, dir)
	if err != nil {
		return err
	}
	// An interrupt reaches the command too: the server outlives it.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	command := exec.Command(args[0], args[1:]...) //nolint:gosec,noctx // the Makefile's own; it ends by itself
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(os.Environ(), dbtest.ClusterVariable+"="+cluster.URL(embedded.Superuser, "postgres"))
	return errors.Join(command.Run(), cluster.Close(context.Background()), os.RemoveAll(dir))
}

// lockDir makes an empty directory. It is the same each time, because the results of tests are
// cached by the server's address; so a second run in the same checkout waits for the first.
func lockDir() (dir string, unlock func(), err error) {
	checkout, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, checkout)
	dir = filepath.Join(os.TempDir(), fmt.Sprintf("clientintel-shared-%d-%x", os.Getuid(), hash.Sum64()))
	file, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return "", nil, errors.Join(fmt.Errorf("locking %s: %w", file.Name(), err), file.Close())
	}
	return dir, func() { _ = file.Close() }, os.RemoveAll(dir)
}
