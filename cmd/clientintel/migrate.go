package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
)

func newMigrate(e *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema up to date",
		Long:  "Bring the schema up to date, as its owner. Several may run at once: one works, the others wait.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := e.textLog()
			return e.withDatabase(cmd.Context(), log, func(d *app.Database) error { return d.Migrate(cmd.Context(), log) })
		},
	}
}

func newVersion(e *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(e.stdout, "clientintel", app.Version)
			return err
		},
	}
}
