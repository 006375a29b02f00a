package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/search"
)

func newImport(e *environment) *cobra.Command {
	var expectLines int64
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import newline-delimited JSON, all of it or nothing",
		Long: `Import newline-delimited JSON (see docs/import.md) in one transaction: a bad
line imports nothing, and is named, up to 20 of them at once. A record whose id
exists is replaced whole. Readers go on meanwhile and see the import when it is
complete.

--expect-lines N, or a last line {"kind":"end","lines":N}, proves that the input
came whole: N counts the lines that are not blank, that last one excepted. Another
number imports nothing. Input that is empty is an error unless 0 lines are promised.`,
		Example: `  clientintel import records.ndjson
  set -o pipefail; export-records | clientintel import - --expect-lines 2000`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var options importer.Options
			if cmd.Flags().Changed("expect-lines") {
				if expectLines < 0 {
					return usagef("--expect-lines must be 0 or more, not %d", expectLines)
				}
				options.ExpectLines = &expectLines
			}
			in, closeInput, err := e.openInput(args[0])
			if err != nil {
				return err
			}
			defer closeInput()
			return e.withOwnerOfNew(cmd.Context(), func(conn *pgx.Conn) error {
				return e.importRecords(cmd.Context(), conn, in, options)
			})
		},
	}
	cmd.Flags().Int64Var(&expectLines, "expect-lines", 0, "how many lines the input must hold, blank lines and the trailer not counted")
	return cmd
}

// openInput opens the file named, or standard input.
func (e *environment) openInput(name string) (io.Reader, func(), error) {
	if name == "-" {
		return e.stdin, func() {}, nil
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

// importRecords imports, and prepares the database for what was imported.
func (e *environment) importRecords(ctx context.Context, conn *pgx.Conn, in io.Reader, options importer.Options) error {
	if isTerminal(e.stderr) {
		options.Progress = func(p importer.Progress) { fmt.Fprintf(e.stderr, "\r%s\x1b[K", progressLine(p)) }
	}
	summary, err := importer.Import(ctx, conn, in, options)
	if options.Progress != nil {
		fmt.Fprint(e.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	for _, warning := range summary.Warnings {
		fmt.Fprintf(e.stderr, "warning: %v\n", warning)
	}
	fmt.Fprintln(e.stderr, summaryLine(summary))
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
