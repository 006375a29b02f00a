// Command mutants removes one guard after another in a copy of the tree, runs the
// guard's test, and prints every mutant with which the test passes. It fails on such a
// survivor, on a mutant whose text is no longer in its file, and on one that does not
// compile.
//
//	go run ./internal/tools/mutants -only 'cursor|scope'
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	only := flag.String("only", "", "a regular expression that a mutant's name or file matches")
	flag.Parse()
	err := run(ctx, *only, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, out io.Writer) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := load()
	if err != nil {
		return err
	}
	var chosen []mutant
	for _, m := range all {
		if pattern.MatchString(m.Name) || pattern.MatchString(m.File) {
			chosen = append(chosen, m)
		}
	}
	tree, err := copyTree(ctx)
	if err != nil {
		return err
	}
	defer tree.remove()
	if err := tree.wantPassing(ctx, chosen, out); err != nil {
		return err
	}
	bad := 0
	for i, m := range chosen {
		began := time.Now()
		how, err := tree.try(ctx, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		if how != killed {
			bad++
		}
		fmt.Fprintf(out, "%3d/%d  %-14s %4.0fs  %s (%s)\n", i+1, len(chosen), how, time.Since(began).Seconds(), m.Name, m.Run)
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d mutants were not killed", bad, len(chosen))
	}
	return nil
}
