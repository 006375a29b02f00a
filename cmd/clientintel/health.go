package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/config"
)

// newHealth asks a running server what a load balancer would. It is there for
// images that hold no program to ask with.
func newHealth(s *surroundings) *cobra.Command {
	settings, _ := config.ServerFromEnv(s.getenv) // what else may be wrong is the server's to say
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask the server on this machine whether it can answer",
		Long:  "Ask /readyz of the server on this machine. Fails unless it says that it can answer.",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			host, port, err := net.SplitHostPort(settings.OpsListen)
			if err != nil {
				return usagef("--ops-listen (CLIENTINTEL_OPS_LISTEN) must be host:port, such as 127.0.0.1:9090, not %q", settings.OpsListen)
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "localhost" // it listens everywhere
			}
			req, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
			if err != nil {
				return usagef("--ops-listen (CLIENTINTEL_OPS_LISTEN) is no address: %q", settings.OpsListen)
			}
			// No proxy: the question is about this machine.
			asking := &http.Client{Timeout: 2500 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := asking.Do(req)
			if err != nil {
				return fmt.Errorf("no server answers: %w", err)
			}
			defer res.Body.Close()
			said, _ := io.ReadAll(io.LimitReader(res.Body, 1000))
			if res.StatusCode != http.StatusOK {
				return fmt.Errorf("the server says: %s", strings.TrimSpace(string(said)))
			}
			_, err = s.stdout.Write(said)
			return err
		},
	}
	cmd.Flags().StringVar(&settings.OpsListen, "ops-listen", settings.OpsListen,
		"the server's address of /readyz (CLIENTINTEL_OPS_LISTEN)")
	return cmd
}
