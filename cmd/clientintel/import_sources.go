package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/clientintel/clientintel/internal/importer"
)

// importSources are the inputs that the arguments name: files, patterns of file
// names, standard input.
func (e *environment) importSources(args []string, f importFlags) ([]importer.Source, error) {
	if len(args) == 0 && len(f.queries) == 0 {
		return nil, usagef("name what to import: files or -, or --from-postgres with --query")
	}
	var sources []importer.Source
	for n, arg := range args {
		if arg == "-" {
			if slices.Contains(args[:n], "-") {
				return nil, usagef("standard input (-) is given twice")
			}
			sources = append(sources, importer.Stream("standard input", e.stdin))
			continue
		}
		files, err := importer.Files(arg)
		if errors.Is(err, filepath.ErrBadPattern) {
			return nil, &usageError{err}
		}
		if err != nil {
			return nil, err
		}
		sources = append(sources, files...)
	}
	return sources, nil
}

// querySources are those of the queries, on a connection that the caller closes.
func (f importFlags) querySources() ([]importer.Source, *importer.Queries, error) {
	if (f.fromPostgres == "") != (len(f.queries) == 0) {
		return nil, nil, usagef("--from-postgres and --query go together")
	}
	database := importer.NewQueries(f.fromPostgres)
	var sources []importer.Source
	for _, name := range f.queries {
		query, err := os.ReadFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, importer.WithoutPath(err))
		}
		sources = append(sources, database.Source(name, string(query)))
	}
	return sources, database, nil
}
