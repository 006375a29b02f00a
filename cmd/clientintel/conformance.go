package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/conformance"
	"github.com/clientintel/clientintel/internal/verify"
)

func newConformance(e *environment) *cobra.Command {
	var options conformance.Options
	var junit string
	cmd := &cobra.Command{
		Use:   "conformance --base-url URL --key KEY [--key KEY …]",
		Short: "Test a deployment against the contract, from outside",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if text := e.getenv("CLIENTINTEL_CONFORMANCE_KEYS"); len(options.Keys) == 0 && text != "" {
				options.Keys = strings.Split(text, ",")
			}
			return e.conformance(cmd, options, junit)
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.BaseURL, "base-url", "", "the deployment, as https://intelligence.example.com")
	f.StringArrayVar(&options.Keys, "key", nil, "a key to test with; several test more (CLIENTINTEL_CONFORMANCE_KEYS)")
	f.IntVar(&options.MaxRequests, "max-requests", 200, "never send more; what no longer fits is skipped")
	f.DurationVar(&options.MaxWait, "max-wait", time.Minute, "the longest Retry-After to honour, once")
	f.StringVar(&junit, "junit", "", "write a JUnit report to this file")
	return e.jsonFlag(cmd)
}

func (e *environment) conformance(cmd *cobra.Command, options conformance.Options, junit string) error {
	options.Progress = func(requests int, doing string) {
		e.progress("%d of %d requests: %s", requests, options.MaxRequests, doing)
	}
	options.Show = func(c conformance.Check) {
		e.progress("")
		if !e.json {
			printCheck(e.stdout, c)
		}
	}
	if err := options.Check(); err != nil {
		return &usageError{err}
	}
	report, err := conformance.Run(cmd.Context(), options)
	if err != nil {
		return err
	}
	if junit != "" {
		if err := writeJUnit(junit, &report); err != nil {
			return err
		}
	}
	err = e.print(report, func() error {
		_, err := fmt.Fprintf(e.stdout, "%d requests; checks passed: %d, failed: %d, skipped: %d\n",
			report.Requests, report.Passed, report.Failed, report.Skipped)
		return err
	})
	if err != nil {
		return err
	}
	if report.Failed > 0 {
		return errReported
	}
	return nil
}

func printCheck(w io.Writer, c conformance.Check) {
	line := fmt.Sprintf("%-8s %s", c.Outcome, c.Name)
	if c.Outcome == verify.Failed {
		line = fmt.Sprintf("%-8s %s", "FAILED", c.Name)
	}
	if c.Key != "" {
		line += " (" + c.Key + ")"
	}
	if c.Detail != "" {
		line += ": " + c.Detail
	}
	fmt.Fprintln(w, line)
}

func writeJUnit(name string, report *conformance.Report) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	if err := report.WriteJUnit(file); err != nil {
		_ = file.Close()
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	return file.Close()
}
