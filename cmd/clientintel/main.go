// Command clientintel serves customer interviews over HTTP and maintains their database:
// schema, imports, keys, measurement.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes: done, failed, wrong usage.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

// run is the whole program, with everything that it reads and writes as arguments.
func run(
	ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer,
) int {
	out := &recordingWriter{Writer: stdout}
	root := newRoot(&environment{environ: environ, stdin: stdin, stdout: out, stderr: stderr})
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if out.err != nil && (err == nil || errors.Is(err, errReported)) {
		err = fmt.Errorf("writing to standard output: %w", out.err)
	}
	var usage *usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "clientintel: %s\nSee '%s --help'.\n", printable(err.Error()), command.CommandPath())
		return exitUsage
	case errors.Is(err, errReported):
		return exitFailed
	default:
		fmt.Fprintf(stderr, "clientintel: %s\n", printable(err.Error()))
		return exitFailed
	}
}

// recordingWriter keeps the first error of a write: a command whose output is lost has
// failed, and neither doctor nor cobra's help checks.
type recordingWriter struct {
	io.Writer
	err error
}

func (w *recordingWriter) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// usageError is a command line that cannot be understood.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// errReported fails a command that has already printed why.
var errReported = errors.New("failed")

// withUsageErrors makes errors of argument checks usage errors, those of the command and
// of its subcommands. A command without a check takes no arguments.
func withUsageErrors(cmd *cobra.Command) *cobra.Command {
	check := cmd.Args
	if check == nil {
		check = cobra.NoArgs
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
	for _, below := range cmd.Commands() {
		withUsageErrors(below)
	}
	return cmd
}
