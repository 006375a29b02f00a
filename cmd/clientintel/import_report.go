package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/importer"
)

// progressLineEvery is how often progress is printed where standard error is no terminal.
const progressLineEvery = 10 * time.Second

func (e *environment) importProgress() func(importer.Progress) {
	if isTerminal(e.stderr) {
		return func(p importer.Progress) { e.progress("%s", progressLine(p)) }
	}
	next := progressLineEvery
	return func(p importer.Progress) {
		if p.Elapsed >= next {
			next = p.Elapsed + progressLineEvery
			fmt.Fprintln(e.stderr, progressLine(p))
		}
	}
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
		part := fmt.Sprintf("%s %d added, %d changed, %d unchanged", k.Kind, k.Added, k.Changed, k.Unchanged)
		if k.Removed > 0 {
			part += fmt.Sprintf(", %d removed", k.Removed)
		}
		if k.Missing > 0 {
			part += fmt.Sprintf(", %d not there", k.Missing)
		}
		parts = append(parts, part)
	}
	done := fmt.Sprintf("imported %d lines in %s", s.Lines, s.Elapsed.Round(time.Millisecond))
	if len(parts) > 0 {
		done += ": " + strings.Join(parts, "; ")
	}
	return done
}

// importReport is what --json prints.
type importReport struct {
	Imported       bool                   `json:"imported"`
	Lines          int64                  `json:"lines"`
	Bytes          int64                  `json:"bytes"`
	ElapsedSeconds float64                `json:"elapsed_seconds"`
	Kinds          []importer.KindSummary `json:"kinds"`
	Warnings       []*importer.LineError  `json:"warnings"`
	// Error is empty when the records were imported.
	Error    string                `json:"error,omitempty"`
	BadLines []*importer.LineError `json:"bad_lines,omitempty"`
}

// errReportNotWritten fails a command whose import has been committed.
var errReportNotWritten = errors.New("imported, but the report could not be written")

func (e *environment) printImport(s importer.Summary) error {
	return e.print(importReport{
		Imported: true, Lines: s.Lines, Bytes: s.Bytes, ElapsedSeconds: s.Elapsed.Seconds(),
		Kinds: append([]importer.KindSummary{}, s.Kinds...), Warnings: append([]*importer.LineError{}, s.Warnings...),
	}, nil)
}

// printFailedImport prints the report of an import that failed, and fails the command.
func (e *environment) printFailedImport(cause error) error {
	report := importReport{Error: cause.Error(), Kinds: []importer.KindSummary{}, Warnings: []*importer.LineError{}}
	var many importer.LineErrors
	var one *importer.LineError
	switch {
	case errors.As(cause, &many):
		report.BadLines = many
	case errors.As(cause, &one):
		report.BadLines = []*importer.LineError{one}
	}
	if err := e.print(report, nil); err != nil {
		return fmt.Errorf("%w\nthe report could not be written: %w", cause, err)
	}
	return cause
}
