package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/importer"
)

func newClients(e *environment) *cobra.Command {
	return group("clients", "List, export or remove clients", newClientsList(e), newClientsExport(e), newClientsPurge(e))
}

func newClientsList(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "list",
		Short: "List clients with the number of their records and keys",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withOwner(cmd.Context(), func(conn *pgx.Conn) error {
				found, err := db.New(conn).ListClients(cmd.Context())
				if err != nil {
					return fmt.Errorf("listing clients: %w", err)
				}
				return printList(e, found, "SLUG\tID\tMODE\tINTERVIEWS\tUSABLE\tDOCUMENTS\tKEYS", func(c db.ListClientsRow) string {
					return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%d", c.Slug, c.ID, c.MeasurementMode,
						c.Interviews, c.UsableInterviews, c.SynthesisDocuments+c.PortalDocuments, c.KeysInForce)
				})
			})
		},
	})
}

func newClientsExport(e *environment) *cobra.Command {
	var withKeys bool
	cmd := e.clientCommand("export CLIENT", "Write a client's records as lines that import takes",
		func(ctx context.Context, conn *pgx.Conn, client db.FindClientRow) error {
			lines, err := importer.Export(ctx, conn, client.ID, withKeys, e.stdout)
			if err == nil {
				fmt.Fprintf(e.stderr, "exported %d records of %s\n", lines, client.Slug)
			}
			return err
		})
	cmd.Flags().BoolVar(&withKeys, "with-keys", false, "also its keys and the log rows of their window")
	return cmd
}

func newClientsPurge(e *environment) *cobra.Command {
	var yes bool
	cmd := e.clientCommand("purge CLIENT", "Remove a client with all its data",
		func(ctx context.Context, conn *pgx.Conn, client db.FindClientRow) error {
			if !yes {
				if err := e.confirmSlug(client); err != nil {
					return err
				}
			}
			removed, err := importer.Purge(ctx, conn, client.ID)
			if err != nil {
				return err
			}
			return e.print(removed, func() error {
				parts := make([]string, len(removed))
				for i, r := range removed {
					parts[i] = fmt.Sprintf("%s %d", r.Of, r.Removed)
				}
				_, err := fmt.Fprintf(e.stdout, "removed %s: %s\n", client.Slug, strings.Join(parts, ", "))
				return err
			})
		})
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation prompt")
	return e.jsonFlag(cmd)
}

// confirmSlug asks for the client's slug, so that no other client is removed by mistake.
func (e *environment) confirmSlug(client db.FindClientRow) error {
	fmt.Fprintf(e.stderr, "This removes %s (%s) with all its data. Type its slug to go on: ", client.Name, client.ID)
	line, _ := bufio.NewReader(e.stdin).ReadString('\n')
	if strings.TrimSpace(line) != client.Slug {
		return errors.New("nothing was removed: that is not the client's slug")
	}
	return nil
}

// clientCommand makes a command that works on one client, named by its id or slug.
func (e *environment) clientCommand(use, short string, do func(context.Context, *pgx.Conn, db.FindClientRow) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: oneArgument("CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return e.withOwner(ctx, func(conn *pgx.Conn) error {
				client, err := db.New(conn).FindClient(ctx, args[0])
				if errors.Is(err, pgx.ErrNoRows) {
					return fmt.Errorf("there is no client %q: name it by its id or slug", args[0])
				}
				if err != nil {
					return fmt.Errorf("finding client %q: %w", args[0], err)
				}
				return do(ctx, conn, client)
			})
		},
	}
}
