package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run is one of three programs: the load generator and the baseline server are
// processes of their own, made from the same binary.
func run(ctx context.Context, args []string, in io.Reader, out, stderr io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case "load":
			return load.Main(ctx, in, out)
		case "baseline":
			return serveBaseline(ctx, args[1:], stderr)
		}
	}
	o, err := parseOptions(args, stderr)
	if err != nil {
		return err
	}
	return measure(ctx, o, out, stderr)
}

func serveBaseline(ctx context.Context, args []string, log io.Writer) error {
	s := baseline.Settings{Secret: baselineSecret, Log: log}
	flags := flag.NewFlagSet("bench baseline", flag.ContinueOnError)
	flags.StringVar(&s.DatabaseURL, "database-url", "", "the database")
	flags.StringVar(&s.Listen, "listen", "", "the address")
	if err := flags.Parse(args); err != nil {
		return err
	}
	return baseline.Serve(ctx, s)
}

// baselineSecret signs the baseline server's cursors; the corpus is generated.
const baselineSecret = "the baseline server's cursors hold nothing that is secret"

// options are what a call measures, and how long.
type options struct {
	scale    scale
	data     string
	only     map[string]bool // goals by number; empty for all
	rounds   int
	duration time.Duration // of a workload in a round
	exact    time.Duration // of the run that counts admissions
	json     string
	complete bool
	// against are other builds or settings of the server, to take turns with this one.
	against []variant
}

// variant is another server: its program (empty: the one built here), and settings as NAME=value.
type variant struct {
	name, binary string
	settings     []string
}

// parseVariant reads name=program,NAME=value,…
func parseVariant(text string) (variant, error) {
	name, rest, found := strings.Cut(text, "=")
	if !found || name == "" {
		return variant{}, fmt.Errorf("%q names no variant: write name=program,SETTING=value", text)
	}
	parts := strings.Split(rest, ",")
	return variant{name: name, binary: parts[0], settings: parts[1:]}, nil
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	o := options{only: map[string]bool{}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	scaleName := flags.String("scale", "small", "the corpus: tiny, small, full or huge")
	only := flags.String("only", "", "the goals to measure, by their numbers: 1,2,9")
	flags.StringVar(&o.data, "data", "", "a directory that keeps the loaded database for the next call")
	flags.IntVar(&o.rounds, "rounds", 0, "rounds to take medians of (0: 5)")
	flags.DurationVar(&o.duration, "duration", 0, "how long a workload runs in a round (0: as the scale says)")
	flags.DurationVar(&o.exact, "exact-duration", 0, "how long goal 14 runs (0: as the scale says)")
	flags.StringVar(&o.json, "json", "", "a file to write the values to")
	flags.BoolVar(&o.complete, "complete", false, "fail when a goal that was asked for has no value")
	flags.Func("against", "another server for the page's comparison, as name=program,SETTING=value (may be given again)", func(text string) error {
		v, err := parseVariant(text)
		o.against = append(o.against, v)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag: see -help", flags.Arg(0))
	}
	var err error
	if o.scale, err = scaleNamed(*scaleName); err != nil {
		return o, err
	}
	if err := o.choose(*only); err != nil {
		return o, err
	}
	if o.rounds == 0 {
		o.rounds = 5
	}
	if o.duration == 0 {
		o.duration = o.scale.duration
	}
	if o.exact == 0 {
		o.exact = o.scale.exact
	}
	if o.rounds < 1 || o.duration < 100*time.Millisecond || o.exact < time.Second {
		return o, errors.New("a benchmark has at least one round, of at least 100ms a workload, and goal 14 at least 1s")
	}
	return o, nil
}

// choose reads names of goals. A number stands for all of its measures.
func (o *options) choose(only string) error {
	known := map[string]bool{}
	for _, g := range goals() {
		known[g.key], known[g.number()] = true, true
	}
	for _, name := range strings.FieldsFunc(only, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !known[name] {
			return fmt.Errorf("there is no goal %q: name them as the table does, such as 1,2a,16", name)
		}
		o.only[name] = true
	}
	return nil
}

// wants reports whether any of these goals, or a measure of theirs, is asked for.
func (o options) wants(names ...string) bool {
	if len(o.only) == 0 {
		return true
	}
	for _, name := range names {
		for asked := range o.only {
			if asked == name || numberOf(asked) == name || numberOf(name) == asked {
				return true
			}
		}
	}
	return false
}
