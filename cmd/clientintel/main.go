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

	"github.com/clientintel/clientintel/internal/apikey"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
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
	e := &environment{environ: environ, stdin: stdin, stdout: out, stderr: stderr}
	root := newRoot(e)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	if out.err != nil && (err == nil || errors.Is(err, errReported)) {
		err = fmt.Errorf("writing to standard output: %w", out.err)
	}
	switch {
	case err == nil:
		return exitDone
	case !e.started && out.err == nil || errors.As(err, new(*usageError)):
		fmt.Fprintf(stderr, "clientintel: %s\nSee '%s --help'.\n", printable(apikey.Redact(err.Error())), command.CommandPath())
		return exitUsage
	case errors.Is(err, errReported):
		return exitFailed
	default:
		fmt.Fprintf(stderr, "clientintel: %s\n", printable(apikey.Redact(err.Error())))
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

// usageError is a command line that cannot be understood, found by the command itself.
// What cobra finds before the command starts is wrong usage too.
type usageError struct{ error }

func usagef(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }

// errReported fails a command that has already printed why.
var errReported = errors.New("failed")

// failedIf is the error of a command that printed what failed.
func failedIf(failed bool, err error) error {
	if err == nil && failed {
		err = errReported
	}
	return err
}

// oneArgument checks for the one argument of a command.
func oneArgument(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("missing argument %s\nUsage: %s", name, cmd.UseLine())
		}
		return noArguments(cmd, args[1:])
	}
}

// noArguments is the check of a command that has none.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return cobra.NoArgs(cmd, args) // says that there is no such command
	}
	return fmt.Errorf("unexpected argument %q\nUsage: %s", args[0], cmd.UseLine())
}
