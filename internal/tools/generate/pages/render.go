package pages

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
)

//go:embed *.tmpl
var templates embed.FS

const (
	apiPath  = "/api/client/v1/"
	docsPath = "/docs"
	// exampleAddress is the service's address in everything that is rendered.
	exampleAddress = "https://clientintel.example.com"
)

// layout is what every page needs beside its text.
type layout struct {
	// Assets leads from the page to its script and style, Root to the server's root.
	Assets, Root string
	// Build identifies this build's script and style, so that no cache mixes two.
	Build string
}

// Render returns the files by name. contract is the contract's JSON, guides are
// texts by name, and assets holds the pages' script, style and icon.
func Render(contract []byte, guides map[string][]byte, assets fs.FS) (map[string][]byte, error) {
	described, err := buildReference(contract)
	if err != nil {
		return nil, err
	}
	build, err := buildOf(assets)
	if err != nil {
		return nil, err
	}
	parsed, err := template.ParseFS(templates, "*.tmpl")
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	files := map[string][]byte{"llms.txt": llms(described)}
	add := func(name, from string, data any) error {
		var out bytes.Buffer
		if err := parsed.ExecuteTemplate(&out, from, data); err != nil {
			return fmt.Errorf("rendering %s: %w", name, err)
		}
		files[name] = out.Bytes()
		return nil
	}
	if err := add("reference.html", "reference.tmpl", struct {
		layout
		reference
	}{layout{Assets: "docs/", Build: build}, described}); err != nil {
		return nil, err
	}
	for name, text := range guides {
		g, err := renderGuide(name, text)
		if err != nil {
			return nil, err
		}
		if err := add(name+".html", "guide.tmpl", struct {
			layout
			guide
		}{layout{Root: "../", Build: build}, g}); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// buildOf names this set of the pages' files.
func buildOf(assets fs.FS) (string, error) {
	sum := sha256.New()
	for _, name := range []string{"page.js", "page.css", "icon.svg"} {
		body, err := fs.ReadFile(assets, name)
		if err != nil {
			return "", fmt.Errorf("reading the pages' files: %w", err)
		}
		sum.Write(body)
	}
	return hex.EncodeToString(sum.Sum(nil)[:6]), nil
}
