package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/importer"
)

// importSources are the inputs that the arguments name: files, patterns of file
// names, and standard input.
func (e *environment) importSources(args []string) ([]importer.Source, error) {
	var sources []importer.Source
	for n, arg := range args {
		if arg == "-" {
			if slices.Contains(args[:n], "-") {
				return nil, usagef("standard input (-) is given twice")
			}
			sources = append(sources, importer.Stream("standard input", e.stdin))
			continue
		}
		names, err := matching(arg)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			sources = append(sources, importFile(name))
		}
	}
	return sources, nil
}

// matching are the files of a pattern, in order of their names, or the one named.
func matching(arg string) ([]string, error) {
	_, err := os.Stat(arg)
	if err == nil {
		return []string{arg}, nil
	}
	if !strings.ContainsAny(arg, "*?[") {
		return nil, fmt.Errorf("%s: %w", arg, withoutPath(err))
	}
	names, err := filepath.Glob(arg)
	if err != nil {
		return nil, usagef("%s: %w", arg, err)
	}
	if len(names) == 0 {
		return nil, usagef("%s: no file has such a name", arg)
	}
	return names, nil
}

func importFile(name string) importer.Source {
	return importer.Source{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
		file, err := os.Open(name)
		return file, withoutPath(err)
	}}
}
