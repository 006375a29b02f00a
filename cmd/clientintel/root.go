package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

// environment is what a command uses beside its arguments.
type environment struct {
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	settings config.Settings
	// settingsError is what the environment sets wrongly for servers.
	settingsError error
}

func newRoot(e *environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "clientintel",
		Short:         "A brand's customer interviews, read over HTTP: exact, scoped to one client, provable",
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	e.settings, e.settingsError = config.FromEnv(e.getenv)
	flags := root.PersistentFlags()
	flags.StringVar(&e.settings.Database.URL, "database-url", e.settings.Database.URL,
		"PostgreSQL 15 or later to use (DATABASE_URL); unset: an embedded one")
	flags.StringVar(&e.settings.Database.OwnerURL, "owner-url", e.settings.Database.OwnerURL,
		"the schema owner's login (DATABASE_OWNER_URL); unset: --database-url is the owner's")
	flags.StringVar(&e.settings.Database.DataDir, "data-dir", e.settings.Database.DataDir,
		"where the embedded PostgreSQL lives (CLIENTINTEL_DATA_DIR)")
	// A URL may hold a password: help must not print it.
	for _, name := range []string{"database-url", "owner-url"} {
		flags.Lookup(name).DefValue = ""
	}
	root.AddCommand(
		newServe(e), newDemo(e), newMigrate(e), newVersion(e), newImport(e), newKeys(e),
		newMeasurement(e), newVerify(e), newHealth(e), newConformance(e), newDoctor(e),
	)
	return withUsageErrors(root)
}

// group is a command that only holds others. actions names them, for its error.
func group(use, short, actions string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(*cobra.Command, []string) error { return usagef("name what to do: %s", actions) },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// jsonFlag adds --json to a command.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// print writes v as JSON where --json is given, and as text otherwise.
func (e *environment) print(asJSON bool, v any, text func() error) error {
	if !asJSON {
		return text()
	}
	encoder := json.NewEncoder(e.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// table writes rows under a header, both with their cells separated by tabs.
func (e *environment) table(header string, rows []string) error {
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, header)
	for _, row := range rows {
		fmt.Fprintln(table, row)
	}
	return table.Flush()
}

// textLog is the log of a command that a person runs at a terminal.
func (e *environment) textLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{
		Level: slog.LevelInfo,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// withDatabase opens the database for one command and closes it afterwards.
func (e *environment) withDatabase(ctx context.Context, log *slog.Logger, do func(*app.Database) error) error {
	database, err := app.OpenDatabase(ctx, e.settings.Database, log)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := database.Close(closing); err != nil {
			log.Warn("closing the database", "error", err.Error())
		}
	}()
	return do(database)
}

// withOwner connects as the owner, for one command, to a database whose schema is
// this release's own. Any other schema stops the command and is left as it is:
// migrating it would stop servers of another release.
func (e *environment) withOwner(ctx context.Context, do func(*pgx.Conn) error) error {
	return e.withDatabase(ctx, e.textLog(), func(d *app.Database) error {
		if err := d.CheckSchema(ctx); err != nil {
			return err
		}
		return d.WithOwner(ctx, do)
	})
}

// withOwnerOfNew is withOwner, and creates the schema in an empty database.
func (e *environment) withOwnerOfNew(ctx context.Context, do func(*pgx.Conn) error) error {
	log := e.textLog()
	return e.withDatabase(ctx, log, func(d *app.Database) error {
		if err := d.CreateSchema(ctx, log); err != nil {
			return err
		}
		return d.WithOwner(ctx, do)
	})
}

// isTerminal reports whether a person sees the stream.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
