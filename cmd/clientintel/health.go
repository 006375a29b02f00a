package main

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// newHealth probes a running server, for container images that hold no other
// program to do it.
func newHealth(e *environment) *cobra.Command {
	opsListen := &e.settings.Server.OpsListen
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the server on this machine whether it can answer",
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, port, err := net.SplitHostPort(*opsListen)
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "localhost" // it listens everywhere
			}
			req, malformed := http.NewRequestWithContext(cmd.Context(), http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
			if cmp.Or(err, malformed) != nil {
				return usagef("--ops-listen (CLIENTINTEL_OPS_LISTEN) must be host:port, such as 127.0.0.1:9090, not %q", *opsListen)
			}
			// No proxy: the server is on this machine.
			client := &http.Client{Timeout: 2500 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := client.Do(req)
			if err != nil {
				return fmt.Errorf("no server answers: %w", err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("the server says: %s", strings.TrimSpace(string(body)))
			}
			_, err = e.stdout.Write(body)
			return err
		},
	}
	cmd.Flags().StringVar(opsListen, "ops-listen", *opsListen,
		"the server's address of /readyz (CLIENTINTEL_OPS_LISTEN)")
	return cmd
}
