package main

import (
	"cmp"
	"errors"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
)

func newConsole(e *environment) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "console",
		Short: "Serve the developer page and the administration API, which issue and revoke keys",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(e.settingsError, e.settings.Console.Check(), e.settings.Database.Check()); err != nil {
				return &usageError{err}
			}
			signal.Ignore(syscall.SIGPIPE) // the reader of the log may be gone
			log := e.serverLog()
			return e.withDatabase(cmd.Context(), log, func(d *app.Database) error {
				return d.ServeConsole(cmd.Context(), e.settings.Console, e.apiURL(), log, func(address string) {
					log.Info("serving the console", "address", "http://"+address)
				})
			})
		},
	}
	addFlags(cmd.Flags(), &e.settings.Console)
	cmd.Flags().StringVar(&e.settings.Server.PublicURL, "public-url", e.settings.Server.PublicURL, "the client API's address, for the page's curl line (CLIENTINTEL_PUBLIC_URL)")
	return cmd
}

// apiURL is the client API's address.
func (e *environment) apiURL() string {
	return strings.TrimRight(cmp.Or(e.settings.Server.PublicURL, e.settings.Server.BaseURL(e.settings.Server.Listen)), "/")
}
