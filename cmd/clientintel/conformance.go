package main

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/conformance"
)

func newConformance(e *environment) *cobra.Command {
	var options conformance.Options
	cmd := &cobra.Command{
		Use:   "conformance --base-url URL --key KEY [--key KEY …]",
		Short: "Test a deployment against the contract, from outside",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if text := e.getenv("CLIENTINTEL_CONFORMANCE_KEYS"); len(options.Keys) == 0 && text != "" {
				options.Keys = strings.Split(text, ",")
			}
			return e.conformance(cmd, options)
		},
	}
	f := cmd.Flags()
	f.StringVar(&options.BaseURL, "base-url", "", "the deployment, as https://intelligence.example.com (required)")
	f.StringArrayVar(&options.Keys, "key", nil, "a key to test with; several test more (CLIENTINTEL_CONFORMANCE_KEYS)")
	f.IntVar(&options.MaxRequests, "max-requests", 600, "never send more; what no longer fits is skipped")
	return e.jsonFlag(required(cmd, "base-url"))
}

func (e *environment) conformance(cmd *cobra.Command, options conformance.Options) error {
	base, err := url.Parse(options.BaseURL)
	switch {
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" || base.User != nil:
		return usagef("--base-url must be an address such as https://intelligence.example.com, not %q", options.BaseURL)
	case len(options.Keys) == 0:
		return usagef("required flag \"key\" not set, nor CLIENTINTEL_CONFORMANCE_KEYS")
	case options.MaxRequests < 1:
		return usagef("--max-requests must be at least 1")
	}
	options.Show = func(c conformance.Check) {
		if !e.json {
			name := c.Name
			if c.Key != "" {
				name += " (" + c.Key + ")"
			}
			printCheck(e.stdout, c.Outcome, name, c.Detail)
		}
	}
	report, err := conformance.Run(cmd.Context(), options)
	if err != nil {
		return err
	}
	err = e.print(report, func() error {
		_, err := fmt.Fprintf(e.stdout, "%d requests; checks passed: %d, failed: %d, skipped: %d\n",
			report.Requests, report.Passed, report.Failed, report.Skipped)
		return err
	})
	return failedIf(report.Failed > 0, err)
}
