package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/search"
)

func newImport(s *surroundings) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import newline-delimited JSON, all of it or nothing",
		Long: `Import newline-delimited JSON (see docs/import.md) in one transaction: a bad
line imports nothing, and is named. A record whose id exists is replaced whole.
Readers go on meanwhile and see the import when it is complete.`,
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, closeInput, err := s.openInput(args[0])
			if err != nil {
				return err
			}
			defer closeInput()
			log := s.people()
			return s.withDatabase(cmd.Context(), log, func(d *app.Database) error {
				return s.importInto(cmd.Context(), d, in, log)
			})
		},
	}
}

// openInput opens the file named, or standard input.
func (s *surroundings) openInput(name string) (io.Reader, func(), error) {
	if name == "-" {
		return s.stdin, func() {}, nil
	}
	file, err := os.Open(name)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			return nil, nil, fmt.Errorf("%s: %w", name, p.Err)
		}
		return nil, nil, err
	}
	return file, func() { _ = file.Close() }, nil
}

// importInto brings the schema up to date and imports.
func (s *surroundings) importInto(ctx context.Context, d *app.Database, in io.Reader, log *slog.Logger) error {
	if err := d.Migrate(ctx, log); err != nil {
		return err
	}
	conn, err := d.ConnectOwner(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))

	var options importer.Options
	if isTerminal(s.stderr) {
		options.Progress = func(p importer.Progress) { fmt.Fprintf(s.stderr, "\r%s\x1b[K", progressLine(p)) }
	}
	summary, err := importer.Import(ctx, conn, in, options)
	if options.Progress != nil {
		fmt.Fprint(s.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.stderr, summaryLine(summary))
	if err := importer.Settle(ctx, conn, summary); err != nil {
		log.Warn("the import is complete; the database's statistics follow later", "error", err.Error())
	}
	start := time.Now()
	indexed, err := search.Settle(ctx, conn, search.DefaultLimits())
	switch {
	case err != nil:
		log.Warn("the import is complete; a server indexes the rest for searches", "error", err.Error())
	case indexed > 0:
		fmt.Fprintf(s.stderr, "indexed %d interviews for searches in %s\n", indexed, time.Since(start).Round(time.Millisecond))
	}
	return nil
}

func progressLine(p importer.Progress) string {
	line := fmt.Sprintf("%d lines, %.1f MB, %s", p.Lines, float64(p.Bytes)/1e6, p.Elapsed.Round(time.Second))
	if p.Finishing {
		line += ", finishing"
	}
	return line
}

func summaryLine(s importer.Summary) string {
	parts := make([]string, 0, len(s.Kinds))
	for _, k := range s.Kinds {
		part := fmt.Sprintf("%s %d", k.Kind, k.Written)
		if k.Deleted > 0 || k.Missing > 0 {
			part += fmt.Sprintf(" (deleted %d, not there %d)", k.Deleted, k.Missing)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("imported %d lines in %s: %s", s.Lines, s.Elapsed.Round(time.Millisecond), strings.Join(parts, ", "))
}
