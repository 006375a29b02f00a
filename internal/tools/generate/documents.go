package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
	"github.com/clientintel/clientintel/internal/tools/generate/pages"
)

// documents are the texts of the generated files that need no other program, by path.
func documents() (map[string][]byte, error) {
	source, err := os.ReadFile("openapi/openapi.yaml")
	if err != nil {
		return nil, err
	}
	document, err := contract.Parse(source)
	if err != nil {
		return nil, err
	}
	served, err := document.JSON("  ")
	if err != nil {
		return nil, err
	}
	if source, err = os.ReadFile("openapi/admin.yaml"); err != nil {
		return nil, err
	}
	administration, err := contract.Parse(source)
	if err != nil {
		return nil, err
	}
	admin, err := administration.JSON("  ")
	if err != nil {
		return nil, err
	}
	older, err := contract.OpenAPI30(document).JSON("  ")
	if err != nil {
		return nil, err
	}
	texts, err := os.ReadFile("openapi/tools.yaml")
	if err != nil {
		return nil, err
	}
	tools, err := contract.Tools(document, texts)
	if err != nil {
		return nil, err
	}
	guides := map[string][]byte{}
	for _, name := range []string{"bi-guide", "agent-guide"} {
		if guides[name], err = os.ReadFile("openapi/guides/" + name + ".md"); err != nil {
			return nil, err
		}
	}
	rendered, err := pages.Render(document, guides, os.DirFS("internal/apidocs/assets"))
	if err != nil {
		return nil, err
	}
	page, err := settings()
	if err != nil {
		return nil, err
	}
	made := map[string][]byte{
		"openapi/generated/openapi.json":                 append(served, '\n'),
		"openapi/generated/admin.json":                   append(admin, '\n'),
		"openapi/generated/openapi-3.0.json":             append(older, '\n'),
		"openapi/generated/tools.json":                   tools,
		"openapi/clients/python/clientintel/_columns.py": contract.PythonColumns(document),
		settingsPage: page,
	}
	for name, text := range rendered {
		made["internal/apidocs/pages/"+name] = text
	}
	return made, nil
}

// writeDocuments writes each document whose file has another text or, with check, fails.
func writeDocuments(check bool) error {
	made, err := documents()
	if err != nil {
		return err
	}
	var stale []error
	for path, text := range made {
		committed, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(committed, text):
		case check:
			stale = append(stale, fmt.Errorf("%s: %w", path, errStale))
		default:
			fmt.Println("writing", path)
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		}
	}
	return errors.Join(stale...)
}
