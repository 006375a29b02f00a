package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
)

func newMigrate(e *environment) *cobra.Command {
	cmd := newMigrateUp(e, "migrate")
	cmd.AddCommand(newMigrateUp(e, "up"), newMigrateStatus(e))
	return cmd
}

func newMigrateUp(e *environment, use string) *cobra.Command {
	var dryRun, distribute, printRoles bool
	cmd := &cobra.Command{
		Use:   use,
		Short: "Bring the schema up to date",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dryRun && distribute {
				return usagef("name one of --dry-run and --distribute")
			}
			if e.json && !dryRun {
				return usagef("--json goes with --dry-run only")
			}
			ctx := cmd.Context()
			if printRoles {
				return e.printRoles()
			}
			return e.withDatabase(ctx, e.textLog(), func(d *app.Database) error {
				if dryRun {
					return e.printMigrations(ctx, d, true)
				}
				if distribute {
					return d.Distribute(ctx)
				}
				return d.Migrate(ctx)
			})
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print the migrations that would be applied, and apply none")
	cmd.Flags().BoolVar(&distribute, "distribute", false, "distribute the tables of an empty database over the workers of its server, with Citus")
	cmd.Flags().BoolVar(&printRoles, "print-roles", false, "print SQL that makes the database's roles, for somebody who may, and do nothing else")
	return e.jsonFlag(cmd)
}

// printRoles prints the SQL for the owner whom the settings name. Nothing is connected to.
func (e *environment) printRoles() error {
	owner := embedded.Owner
	if url := cmp.Or(e.settings.Database.OwnerURL, e.settings.Database.URL); url != "" {
		config, err := postgres.ParseURL(url)
		if err != nil {
			return err
		}
		owner = config.User
	}
	_, err := io.WriteString(e.stdout, postgres.CreateRoles(owner))
	return err
}

func newMigrateStatus(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "status",
		Short: "List the migrations: applied, pending, of a later release",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDatabase(cmd.Context(), e.textLog(), func(d *app.Database) error {
				return e.printMigrations(cmd.Context(), d, false)
			})
		},
	})
}

func (e *environment) printMigrations(ctx context.Context, d *app.Database, pendingOnly bool) error {
	all, err := postgres.MigrationStatuses(ctx, d.OwnerURL)
	if err != nil {
		return err
	}
	shown := slices.DeleteFunc(all, func(m postgres.MigrationStatus) bool { return pendingOnly && m.State != postgres.Pending })
	return printList(e, shown, "MIGRATION\tSTATE\tAPPLIED", func(m postgres.MigrationStatus) string {
		applied := ""
		if m.AppliedAt != nil {
			applied = m.AppliedAt.Format(time.RFC3339)
		}
		return fmt.Sprintf("%s\t%s\t%s", m.Name, m.State, applied)
	})
}

func newVersion(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			return e.print(map[string]string{"version": app.Version}, func() error {
				_, err := fmt.Fprintln(e.stdout, "clientintel", app.Version)
				return err
			})
		},
	})
}
