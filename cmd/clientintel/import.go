package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/search"
)

type importFlags struct {
	expectLines    int64
	replaceClients []string
	maxRemoved     []string
	maxWait        time.Duration
	kinds          []string
	withKeys       bool
	fromPostgres   string
	queries        []string
}

func newImport(e *environment) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import FILE|-...",
		Short: "Import newline-delimited JSON, all of it or nothing",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := e.runImport(cmd, args, f)
			if _, usage := errors.AsType[*usageError](err); err == nil || usage || !e.json || errors.Is(err, errReportNotWritten) {
				return err
			}
			return e.printFailedImport(err)
		},
	}
	flags := cmd.Flags()
	flags.Int64Var(&f.expectLines, "expect-lines", 0, "how many lines the input must hold, blank lines and the trailer not counted")
	flags.StringArrayVar(&f.replaceClients, "replace-client", nil, "remove what the input does not hold of this client, by id or slug; repeatable")
	flags.StringSliceVar(&f.kinds, "kinds", nil, "the kinds that are replaced, all when left out")
	flags.StringArrayVar(&f.maxRemoved, "max-removed", []string{importer.DefaultMaxRemoved.String()},
		"how many records of each kind of each client may be removed: a number, or a share; all of a kind with 100% only; for one kind as lane=100%, for one client's as acme/lane=100%; repeatable")
	flags.DurationVar(&f.maxWait, "max-wait", 10*time.Minute, "how long another import of the same clients is waited for")
	flags.StringVar(&f.fromPostgres, "from-postgres", "", "the URL of a PostgreSQL to read records from")
	flags.StringArrayVar(&f.queries, "query", nil, "a file with a query whose rows are records; repeatable")
	flags.BoolVar(&f.withKeys, "with-keys", false, "accept the keys and log rows of clients export --with-keys; as the owner")
	return e.jsonFlag(cmd)
}

func (e *environment) runImport(cmd *cobra.Command, args []string, f importFlags) error {
	options, err := f.options(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	options.Source = strings.Join(append(args, f.queries...), " ")
	sources, err := e.importSources(args, f)
	if err != nil {
		return err
	}
	ofQueries, database, err := f.querySources()
	if err != nil {
		return err
	}
	defer database.Close()
	as := importing
	if f.withKeys {
		as.Roles = nil // the owner's
	}
	return e.connected(cmd.Context(), as, func(conn *pgx.Conn) error {
		return e.importRecords(cmd.Context(), conn, append(sources, ofQueries...), options)
	})
}

func (f importFlags) options(given func(flag string) bool) (importer.Options, error) {
	options := importer.Options{WithKeys: f.withKeys, MaxWait: f.maxWait}
	if given("expect-lines") {
		if f.expectLines < 0 {
			return options, usagef("--expect-lines must be 0 or more, not %d", f.expectLines)
		}
		options.ExpectLines = &f.expectLines
	}
	switch replaces := len(f.replaceClients) > 0; {
	case (given("max-removed") || given("kinds")) && !replaces:
		return options, usagef("--max-removed and --kinds go with --replace-client")
	case replaces:
		limits, err := f.limits()
		if err != nil {
			return options, err
		}
		for _, name := range f.kinds {
			if !slices.Contains(importer.ReplaceableKinds(), name) {
				return options, usagef("--kinds: %q is not one of %s", name, strings.Join(importer.ReplaceableKinds(), ", "))
			}
		}
		options.Replace = &importer.Replacement{Clients: f.replaceClients, Kinds: f.kinds, MaxRemoved: limits}
	}
	return options, nil
}

// limits are those of --max-removed: of everything, of a kind, of a client's kind.
func (f importFlags) limits() (map[string]importer.Limit, error) {
	limits := map[string]importer.Limit{}
	for _, text := range f.maxRemoved {
		of, number, isOf := strings.Cut(text, "=")
		if !isOf {
			of, number = "", text
		}
		limit, err := importer.ParseLimit(number)
		if err != nil {
			return nil, usagef("--max-removed %w", err)
		}
		kind := of
		if n := strings.LastIndex(of, "/"); n >= 0 {
			if kind = of[n+1:]; !slices.Contains(f.replaceClients, of[:n]) {
				return nil, usagef("--max-removed: %q is not a client as --replace-client names it", of[:n])
			}
		}
		if isOf && !slices.Contains(importer.ReplaceableKinds(), kind) {
			return nil, usagef("--max-removed: %q is not one of %s", kind, strings.Join(importer.ReplaceableKinds(), ", "))
		}
		limits[of] = limit
	}
	return limits, nil
}

// tellWaiting says for whom a command waits.
func (e *environment) tellWaiting(holder string) { fmt.Fprintln(e.stderr, printable(holder)) }

// importRecords imports, and prepares the database for what was imported.
func (e *environment) importRecords(
	ctx context.Context, conn *pgx.Conn, sources []importer.Source, options importer.Options,
) error {
	options.Progress = e.importProgress()
	options.Waiting = e.tellWaiting
	summary, err := importer.Import(ctx, conn, options, sources...)
	e.progress("")
	if err != nil {
		return err
	}
	for _, warning := range summary.Warnings {
		fmt.Fprintf(e.stderr, "warning: %s\n", printable(warning.Error()))
	}
	if e.json {
		if err = e.printImport(summary); err != nil {
			err = fmt.Errorf("%w: %w", errReportNotWritten, err)
		}
	} else {
		fmt.Fprintln(e.stderr, summaryLine(summary))
	}
	e.prepareForReaders(ctx, conn, summary)
	return err
}

// prepareForReaders does what the database and the server would do later.
func (e *environment) prepareForReaders(ctx context.Context, conn *pgx.Conn, summary importer.Summary) {
	if err := importer.Vacuum(ctx, conn, summary); err != nil {
		e.textLog().Warn("the import is complete; the database's statistics follow later", "error", err.Error())
	}
	start := time.Now()
	indexed, err := search.IndexAll(ctx, conn, search.DefaultLimits())
	switch {
	case err != nil:
		e.textLog().Warn("the import is complete; a server indexes the rest for searches", "error", err.Error())
	case indexed > 0:
		fmt.Fprintf(e.stderr, "indexed %d interviews for searches in %s\n", indexed, time.Since(start).Round(time.Millisecond))
	}
}
