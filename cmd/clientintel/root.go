package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
)

// surroundings are what a command touches beside its arguments.
type surroundings struct {
	getenv func(string) string
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	database config.Database
}

func newRoot(s *surroundings) *cobra.Command {
	root := &cobra.Command{
		Use:           "clientintel",
		Short:         "A brand's customer interviews, read over HTTP: exact, scoped to one client, provable",
		SilenceUsage:  true,
		SilenceErrors: true,
		// A bare call shows the help; a word that is no command is wrong usage.
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	s.database = config.DatabaseFromEnv(s.getenv)
	flags := root.PersistentFlags()
	flags.StringVar(&s.database.URL, "database-url", s.database.URL,
		"PostgreSQL 15 or later to use (DATABASE_URL); unset: an embedded one")
	flags.StringVar(&s.database.OwnerURL, "owner-url", s.database.OwnerURL,
		"the schema owner's login (DATABASE_OWNER_URL); unset: --database-url is the owner's")
	flags.StringVar(&s.database.DataDir, "data-dir", s.database.DataDir,
		"where the embedded PostgreSQL lives (CLIENTINTEL_DATA_DIR)")
	// A URL may hold a password: help must not print it.
	for _, name := range []string{"database-url", "owner-url"} {
		flags.Lookup(name).DefValue = ""
	}
	root.AddCommand(
		newServe(s), newDemo(s), newMigrate(s), newVersion(s), newImport(s), newKeys(s),
		newMeasurement(s), newVerify(s), newHealth(s), newConformance(s), newDoctor(s),
	)
	return root
}

// people is the log of a command that works for a person at a terminal.
func (s *surroundings) people() *slog.Logger {
	return slog.New(slog.NewTextHandler(s.stderr, &slog.HandlerOptions{
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
func (s *surroundings) withDatabase(ctx context.Context, log *slog.Logger, do func(*app.Database) error) error {
	database, err := app.OpenDatabase(ctx, s.database, log)
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

// isTerminal tells whether a person watches the stream.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
