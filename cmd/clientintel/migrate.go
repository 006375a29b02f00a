package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
)

func newMigrate(s *surroundings) *cobra.Command {
	return &cobra.Command{
		Use:   "migrate",
		Short: "Bring the schema up to date",
		Long:  "Bring the schema up to date, as its owner. Several may run at once: one works, the others wait.",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := s.people()
			return s.withDatabase(cmd.Context(), log, func(d *app.Database) error { return d.Migrate(cmd.Context(), log) })
		},
	}
}

func newVersion(s *surroundings) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.stdout, "clientintel", app.Version)
			return err
		},
	}
}
