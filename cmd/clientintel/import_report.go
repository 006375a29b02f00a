package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/importer"
)

// How often progress is printed: on a terminal, and as lines elsewhere.
const (
	progressEvery     = 200 * time.Millisecond
	progressLineEvery = 10 * time.Second
)

func (e *environment) importProgress() func(importer.Progress) {
	every, show := progressLineEvery, func(line string) { fmt.Fprintln(e.stderr, line) }
	if isTerminal(e.stderr) {
		every, show = progressEvery, func(line string) { e.progress("%s", line) }
	}
	start := time.Now()
	last := start
	return func(p importer.Progress) {
		if now := time.Now(); now.Sub(last) >= every {
			last = now
			show(progressLine(p, now.Sub(start)))
		}
	}
}

func progressLine(p importer.Progress, elapsed time.Duration) string {
	line := fmt.Sprintf("%d lines, %.1f MB, %s", p.Lines, float64(p.Bytes)/1e6, elapsed.Round(time.Second))
	if p.Finishing {
		line += ", finishing"
	}
	return line
}

func summaryLine(s importer.Summary) string {
	parts := make([]string, 0, len(s.Kinds))
	for _, k := range s.Kinds {
		parts = append(parts, k.String())
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
	if bad, ok := errors.AsType[importer.LineErrors](cause); ok {
		report.BadLines = bad
	}
	if err := e.print(report, nil); err != nil {
		return fmt.Errorf("%w\nthe report could not be written: %w", cause, err)
	}
	return cause
}
