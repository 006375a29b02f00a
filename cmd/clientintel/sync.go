package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/sync"
)

func newSync(e *environment) *cobra.Command {
	var o sync.Options
	cmd := &cobra.Command{
		Use:   "sync CONFIG",
		Short: "Make clients' records what a source has, each client by itself",
		Args:  oneArgument("CONFIG"),
		RunE: func(cmd *cobra.Command, args []string) error {
			config, err := sync.ReadConfig(args[0])
			if err != nil {
				return &usageError{err}
			}
			if name := config.Source.Postgres; name != "" {
				if o.URL = e.getenv(name); o.URL == "" {
					return usagef("%s: source: the variable %s is not set", args[0], name)
				}
			}
			o.Tell = func(text string) { fmt.Fprintln(e.stderr, printable(text)) }
			o.Reconnect = func(ctx context.Context, do func(*pgx.Conn) error) error { return e.connected(ctx, asImporter, do) }
			as := importing
			if o.DryRun {
				o.Tell("dry run: nothing is written")
				as = asImporter
			}
			return e.connected(cmd.Context(), as, func(conn *pgx.Conn) error {
				return e.runSync(cmd, conn, config, o)
			})
		},
	}
	cmd.Flags().StringVar(&o.Client, "client", "", "sync this client alone, by id or slug")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "say what would change, and change nothing")
	cmd.AddCommand(newSyncStatus(e))
	return e.jsonFlag(cmd)
}

func (e *environment) runSync(cmd *cobra.Command, conn *pgx.Conn, config *sync.Config, o sync.Options) error {
	report, failed := config.Run(cmd.Context(), conn, o)
	for _, slug := range report.Ended {
		o.Tell(slug + ": the source lists it no more; its records stay (clients purge removes them)")
	}
	if e.json {
		failed = errors.Join(failed, e.print(report, nil))
	}
	if !o.DryRun && cmd.Context().Err() == nil {
		var all importer.Summary
		for _, c := range report.Clients {
			all.Kinds = append(all.Kinds, c.Kinds...)
		}
		e.prepareForReaders(cmd.Context(), conn, all)
	}
	if n := report.Failed(); n > 0 {
		failed = errors.Join(fmt.Errorf("%d of %d clients were not synced", n, len(report.Clients)), failed)
	}
	return failed
}

func newSyncStatus(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "status",
		Short: "List the last sync of each client",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.connected(cmd.Context(), asImporter, func(conn *pgx.Conn) error {
				found, err := db.New(conn).ListLastImports(cmd.Context())
				if err != nil {
					return fmt.Errorf("listing imports: %w", err)
				}
				return printList(e, found, "CLIENT\tLAST SUCCESS\tLAST TRY\tBY\tWHAT", func(i db.ListLastImportsRow) string {
					return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", cmp.Or(i.Slug, i.ClientID.String()), orNever(i.LastSuccess), orNever(&i.StartedAt),
						*cmp.Or(i.Account, new("")), whatImported(i))
				})
			})
		},
	})
}

// whatImported is what an import did, or why it failed.
func whatImported(i db.ListLastImportsRow) string {
	if i.Error != nil {
		return "failed: " + *i.Error
	}
	var kinds []importer.KindSummary
	_ = json.Unmarshal(i.Kinds, &kinds) // written by an import
	var added, changed, removed, aside int64
	for _, k := range kinds {
		added, changed, removed, aside = added+k.Added, changed+k.Changed, removed+k.Removed, aside+k.SetAside
	}
	return fmt.Sprintf("%d added, %d changed, %d removed, %d set aside", added, changed, removed, aside)
}
