package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/importer"
)

func newClients(e *environment) *cobra.Command {
	return group("clients", "List, export or remove clients, and release moved records", newClientsList(e), newClientsExport(e), newClientsPurge(e), newClientsRelease(e))
}

func newClientsList(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "list",
		Short: "List clients with the number of their records and keys",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.connected(cmd.Context(), asImporter, func(conn *pgx.Conn) error {
				found, err := db.New(conn).ListClients(cmd.Context())
				if err != nil {
					return fmt.Errorf("listing clients: %w", err)
				}
				return printList(e, found, "SLUG\tID\tMODE\tINTERVIEWS\tUSABLE\tDOCUMENTS\tKEYS\tLAST IMPORT", func(c db.ListClientsRow) string {
					return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s", c.Slug, c.ID, c.MeasurementMode,
						c.Interviews, c.UsableInterviews, c.SynthesisDocuments+c.PortalDocuments, c.KeysInForce, orNever(c.LastImport))
				})
			})
		},
	})
}

func newClientsExport(e *environment) *cobra.Command {
	var withKeys bool
	as := asImporter
	cmd := e.clientCommand("export CLIENT", "Write a client's records as lines that import takes", &as,
		func(ctx context.Context, conn *pgx.Conn, client db.FindClientRow) error {
			lines, err := importer.Export(ctx, conn, client.ID, withKeys, e.stdout)
			if err == nil {
				fmt.Fprintf(e.stderr, "exported %d records of %s\n", lines, printable(client.Slug))
			}
			return err
		})
	cmd.PreRun = func(*cobra.Command, []string) {
		if withKeys {
			as = asOwner
		}
	}
	cmd.Flags().BoolVar(&withKeys, "with-keys", false, "also its keys and the log rows of their window; as the owner")
	return cmd
}

func newClientsPurge(e *environment) *cobra.Command {
	var yes bool
	cmd := e.clientCommand("purge CLIENT", "Remove a client with all its data", &asImporter,
		func(ctx context.Context, conn *pgx.Conn, client db.FindClientRow) error {
			if !yes {
				if err := e.confirmSlug(client); err != nil {
					return err
				}
			}
			removed, err := importer.Purge(ctx, conn, client.ID, e.tellWaiting)
			if err != nil {
				return err
			}
			return e.print(removed, func() error {
				parts := make([]string, len(removed))
				for i, r := range removed {
					parts[i] = fmt.Sprintf("%s %d", r.Of, r.Removed)
				}
				_, err := fmt.Fprintf(e.stdout, "removed %s: %s\n", printable(client.Slug), strings.Join(parts, ", "))
				return err
			})
		})
	cmd.Flags().BoolVar(&yes, "yes", false, "skip the confirmation prompt")
	return e.jsonFlag(cmd)
}

func newClientsRelease(e *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "release CLIENT KIND ID",
		Short: "Release the id of a record that a client has no more, for another client",
		Args:  cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := uuid.Parse(args[2])
			if err != nil {
				return usagef("ID must be a record's id, not %q", args[2])
			}
			return e.withNamedClient(cmd.Context(), asImporter, args[0], func(conn *pgx.Conn, client db.FindClientRow) error {
				if err := importer.Release(cmd.Context(), conn, client.ID, args[1], id, e.tellWaiting); err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "released %s %s of %s\n", args[1], id, printable(client.Slug))
				return nil
			})
		},
	}
}

// confirmSlug asks for the client's slug, so that no other client is removed by mistake.
func (e *environment) confirmSlug(client db.FindClientRow) error {
	fmt.Fprintf(e.stderr, "This removes %s (%s) with all its data. Type its slug to go on: ", printable(client.Name), client.ID)
	line, _ := bufio.NewReader(e.stdin).ReadString('\n')
	if strings.TrimSpace(line) != client.Slug {
		return errors.New("nothing was removed: that is not the client's slug")
	}
	return nil
}

// clientCommand makes a command that works on one client, named by its id or slug.
func (e *environment) clientCommand(use, short string, as *app.Command, do func(context.Context, *pgx.Conn, db.FindClientRow) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: oneArgument("CLIENT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withNamedClient(cmd.Context(), *as, args[0], func(conn *pgx.Conn, client db.FindClientRow) error {
				return do(cmd.Context(), conn, client)
			})
		},
	}
}

// withNamedClient is connected for a client named by its id or slug.
func (e *environment) withNamedClient(ctx context.Context, as app.Command, named string, do func(*pgx.Conn, db.FindClientRow) error) error {
	return e.connected(ctx, as, func(conn *pgx.Conn) error {
		client, err := db.New(conn).FindClient(ctx, named)
		if errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("there is no client %q: name it by its id or slug", named)
		}
		if err != nil {
			return fmt.Errorf("finding client %q: %w", named, err)
		}
		return do(conn, client)
	})
}
