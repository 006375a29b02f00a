package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/verify"
)

func newVerify(e *environment) *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "verify FILE|-",
		Short: "Recompute every hash and count in saved responses, offline",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "-" {
				return e.verify(e.stdin, url)
			}
			file, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], withoutPath(err))
			}
			defer file.Close()
			return e.verify(file, url)
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "the request of responses that come without, as /api/client/v1/interviews?status=analyzed")
	return e.jsonFlag(cmd)
}

func (e *environment) verify(in io.Reader, url string) error {
	print := printReport
	if e.json {
		print = jsonReports()
	}
	summary, err := verify.Verify(in, url, func(r *verify.Report) error { return print(e.stdout, r) })
	if _, option := errors.AsType[*verify.URLError](err); option {
		return usagef("--url: %w", err)
	}
	if err != nil {
		return err
	}
	if e.json {
		rest, err := json.Marshal(summary)
		if err != nil {
			return err
		}
		// The summary's fields follow in the object that the reports began.
		fmt.Fprintf(e.stdout, "\n],%s\n", rest[1:])
	} else {
		fmt.Fprintf(e.stdout, "responses: %d, walks: %d; checks passed: %d, failed: %d, skipped: %d\n",
			summary.Responses, summary.Walks, summary.Passed, summary.Failed, summary.Skipped)
	}
	if summary.Failed > 0 {
		return errReported
	}
	return nil
}

// jsonReports prints one object piece by piece: there may be many reports.
func jsonReports() func(io.Writer, *verify.Report) error {
	separator := `{"reports":[`
	return func(w io.Writer, r *verify.Report) error {
		report, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s\n%s", separator, report)
		separator = ","
		return err
	}
}

func printReport(w io.Writer, r *verify.Report) error {
	title := fmt.Sprintf("response %d", r.Responses[0])
	if r.Of == "walk" {
		title = fmt.Sprintf("walk over %d responses, %d to %d", len(r.Responses), r.Responses[0], r.Responses[len(r.Responses)-1])
	}
	text := fmt.Sprintf("%s: %s of client %s\n", title, r.What, r.Client)
	if r.Client == "" {
		text = fmt.Sprintf("%s: %s\n", title, r.What)
	}
	var passed []string
	for _, c := range r.Checks {
		if c.Outcome == verify.Passed {
			passed = append(passed, c.Name)
		}
	}
	if len(passed) > 0 {
		text += "  passed   " + strings.Join(passed, ", ") + "\n"
	}
	for _, c := range r.Checks {
		switch c.Outcome {
		case verify.Failed:
			text += fmt.Sprintf("  FAILED   %s: %s\n", c.Name, c.Detail)
		case verify.Skipped:
			text += fmt.Sprintf("  skipped  %s: %s\n", c.Name, c.Detail)
		}
	}
	_, err := io.WriteString(w, text)
	return err
}
