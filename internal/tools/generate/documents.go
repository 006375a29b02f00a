package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
	"github.com/clientintel/clientintel/internal/tools/generate/packages"
	"github.com/clientintel/clientintel/internal/tools/generate/pages"
)

// documents are the texts of the generated files that need no other program, by path.
func documents() (map[string][]byte, error) {
	document, err := contract.Read("openapi/openapi.yaml")
	if err != nil {
		return nil, err
	}
	served, err := document.JSON("  ")
	if err != nil {
		return nil, err
	}
	administration, err := contract.Read("openapi/admin.yaml")
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
	guides, err := guides()
	if err != nil {
		return nil, err
	}
	rendered, err := pages.Render(document, guides)
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

// guides are the pages of text at /docs, in the order of their navigation.
func guides() ([]pages.Guide, error) {
	all := []pages.Guide{
		{Name: "bi-guide", Menu: "BI guide", Source: "openapi/guides/bi-guide.md", Markdown: "api/client/v1/bi-guide.md"},
		{Name: "agent-guide", Menu: "Agent guide", Source: "openapi/guides/agent-guide.md", Markdown: "api/client/v1/agent-guide.md"},
		{Name: "mcp", Menu: "MCP", Source: "docs/mcp.md"},
		{Name: "clients", Menu: "Clients", Source: "internal/tools/generate/pages/clients.md"},
		{Name: "connectors", Menu: "Connectors", Source: "openapi/connectors/README.md", Markdown: "docs/connectors/README.md"},
		{Name: "changelog", Menu: "Changelog", Source: "CHANGELOG.md", Markdown: "docs/changelog.md"},
	}
	for i := range all {
		source, err := os.ReadFile(all[i].Source)
		if err != nil {
			return nil, err
		}
		all[i].Source = string(source)
	}
	// The rest of the page is for those who run the server.
	var found bool
	if all[2].Source, _, found = strings.Cut(all[2].Source, "\n## Behind a proxy\n"); !found {
		return nil, errors.New("docs/mcp.md has no section for operators")
	}
	return all, nil
}

// writeDocuments writes each document whose file has another text or, with check, fails.
func writeDocuments(check bool) error {
	made, err := documents()
	if err != nil {
		return err
	}
	return errors.Join(removeStalePages(made, check), write(made, check))
}

// removeStalePages removes pages that are made no more or, with check, fails.
func removeStalePages(made map[string][]byte, check bool) error {
	committed, err := filepath.Glob("internal/apidocs/pages/*")
	if err != nil {
		return err
	}
	for _, path := range committed {
		switch {
		case made[filepath.ToSlash(path)] != nil:
		case check:
			return fmt.Errorf("%s: %w", path, errStale)
		default:
			fmt.Println("removing", path)
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

const packagesFolder = "openapi/generated/clients/"

// writePackages does the same with the packages of the clients.
func writePackages(check bool) error {
	made, err := packages.Build(".")
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for name, content := range made {
		files[packagesFolder+name] = content
	}
	return write(files, check)
}

func write(made map[string][]byte, check bool) error {
	var stale []error
	for path, text := range made {
		committed, err := os.ReadFile(path)
		switch {
		case err == nil && bytes.Equal(committed, text):
		case check:
			stale = append(stale, fmt.Errorf("%s: %w", path, errStale))
		default:
			fmt.Println("writing", path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, text, 0o644); err != nil {
				return err
			}
		}
	}
	return errors.Join(stale...)
}
