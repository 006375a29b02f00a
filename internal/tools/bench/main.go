//go:build linux

// Command bench compares the server with the build from before and with a baseline server
// written by hand. It loads a generated corpus into a PostgreSQL of its own, starts real servers as processes and prints ratios: the sides of a ratio take
// turns, and the median of the rounds counts. Its exit status depends on whether every
// response was right, never on a timing.
//
//	go run ./internal/tools/bench -scale full -data /var/tmp/bench -other ../clientintel-before
//
// See docs/benchmark.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is one of three programs: the load generator and the baseline server are processes
// of their own, from the same binary.
func run(ctx context.Context, args []string, in io.Reader, out, stderr io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "load":
		return load.Main(ctx, in, out)
	case len(args) == 2 && args[0] == "baseline":
		return baseline.Serve(ctx, args[1], out, stderr)
	}
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	return measure(ctx, o, out, stderr)
}

type options struct {
	scale    scale
	name     string // the scale's
	data     string
	only     *regexp.Regexp
	rounds   int
	duration time.Duration // of a workload in a round
	other    string
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.name, "scale", "small", "the corpus: tiny, small or full")
	only := flags.String("only", "", "measure only what this regular expression matches: page, memory, routes")
	flags.StringVar(&o.data, "data", "", "a directory that keeps the loaded databases for the next call")
	flags.IntVar(&o.rounds, "rounds", 5, "rounds to take medians of")
	flags.DurationVar(&o.duration, "duration", 0, "how long a workload runs in a round (0: as the scale says)")
	flags.StringVar(&o.other, "other", "", "another build of clientintel, to take turns with this one on a database of its own")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		return o, err
	}
	var known bool
	if o.scale, known = scales[o.name]; !known {
		return o, fmt.Errorf("there is no scale %q: choose tiny, small or full", o.name)
	}
	if o.duration == 0 {
		o.duration = o.scale.duration
	}
	if o.rounds < 1 || o.duration < 100*time.Millisecond || flags.NArg() > 0 {
		return o, errors.New("a benchmark has at least one round, of at least 100ms a workload, and no argument but flags")
	}
	return o, nil
}
