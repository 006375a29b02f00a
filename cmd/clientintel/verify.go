package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/verify"
)

func newVerify(e *environment) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Recompute every hash and count in saved responses, offline",
		Args:  oneArgument("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return e.verify(e.stdin, url)
			}
			file, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], importer.WithoutPath(err))
			}
			defer file.Close()
			return e.verify(file, url)
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "the request of responses that come without, as /api/client/v1/interviews?status=analyzed")
	return e.jsonFlag(cmd)
}

func (e *environment) verify(in io.Reader, url string) error {
	var request *verify.Request
	if url != "" {
		var err error
		if request, err = verify.ParseRequest(url); err != nil {
			return usagef("--url: %w", err)
		}
	}
	result, err := verify.Verify(in, request)
	if err != nil {
		return err
	}
	err = e.print(result, func() error {
		for _, r := range result.Reports {
			e.printReport(r)
		}
		_, err := fmt.Fprintf(e.stdout, "responses: %d, walks: %d; checks passed: %d, failed: %d, skipped: %d\n",
			result.Responses, result.Walks, result.Passed, result.Failed, result.Skipped)
		return err
	})
	return failedIf(result.Failed > 0, err)
}

func (e *environment) printReport(r *verify.Report) {
	title := fmt.Sprintf("response %d: %s", r.Responses[0], r.What)
	if r.Of == "walk" {
		title = fmt.Sprintf("walk over %d responses, %d to %d: %s", len(r.Responses), r.Responses[0], r.Responses[len(r.Responses)-1], r.What)
	}
	if r.Client != "" {
		title += " of client " + r.Client
	}
	fmt.Fprintln(e.stdout, title)
	var passed []string
	for _, c := range r.Checks {
		if c.Outcome == verify.Passed {
			passed = append(passed, c.Name)
		}
	}
	if len(passed) > 0 {
		fmt.Fprintf(e.stdout, "  passed   %s\n", strings.Join(passed, ", "))
	}
	for _, c := range r.Checks {
		if c.Outcome != verify.Passed {
			fmt.Fprint(e.stdout, "  ")
			printCheck(e.stdout, c.Outcome, c.Name, c.Detail)
		}
	}
}

// printCheck prints a check of verify or conformance on a line.
func printCheck(w io.Writer, outcome verify.Outcome, name, detail string) {
	label := string(outcome)
	if outcome == verify.Failed {
		label = "FAILED"
	}
	if detail != "" {
		name += ": " + detail
	}
	fmt.Fprintf(w, "%-8s %s\n", label, name)
}
