package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// mutant is one change that takes a guard away, and the test that must notice.
type mutant struct {
	Name string
	// Promise is what the guard is for, in the documents' words.
	Promise string
	File    string
	// Old is in the file exactly once; New takes its place.
	Old, New string
	// Package and Run choose the test, as go test takes them.
	Package, Run string
	Tags         string
}

// lists are a file a subject.
//
//go:embed lists/*.yaml
var lists embed.FS

// load reads every list and refuses incomplete mutants and names used twice.
func load() ([]mutant, error) {
	paths, err := fs.Glob(lists, "lists/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []mutant
	seen := map[string]bool{}
	for _, path := range paths {
		text, err := lists.ReadFile(path)
		if err != nil {
			return nil, err
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		var found []mutant
		if err := decoder.Decode(&found); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, m := range found {
			if m.Name == "" || m.Promise == "" || m.File == "" || m.Old == "" || m.Package == "" || m.Run == "" || m.Old == m.New {
				return nil, fmt.Errorf("%s: %q lacks a field, or changes nothing", path, m.Name)
			}
			if seen[m.Name] {
				return nil, fmt.Errorf("%s: %q is there twice", path, m.Name)
			}
			seen[m.Name] = true
		}
		all = append(all, found...)
	}
	return all, nil
}

// mutated is the text of the mutant's file below dir, with the change made; of a
// migration, in the way up.
func (m mutant) mutated(dir string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(dir, m.File))
	if err != nil {
		return nil, err
	}
	changed, down, hasDown := bytes.Cut(text, []byte("-- +goose Down"))
	if n := bytes.Count(changed, []byte(m.Old)); n != 1 {
		return nil, fmt.Errorf("%s has its old text %d times, not once", m.File, n)
	}
	changed = bytes.Replace(changed, []byte(m.Old), []byte(m.New), 1)
	if hasDown {
		changed = append(append(changed, "-- +goose Down"...), down...)
	}
	return changed, nil
}
