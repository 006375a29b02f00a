package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"
)

// bill is a CycloneDX 1.5 document, as far as a Go binary fills one.
type bill struct {
	Format       string      `json:"bomFormat"`
	SpecVersion  string      `json:"specVersion"`
	SerialNumber string      `json:"serialNumber"`
	Version      int         `json:"version"`
	Metadata     metadata    `json:"metadata"`
	Components   []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PackageURL string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// billOf writes what a binary consists of, as the linker noted it in the binary
// itself: no list of what was meant to go in. It has no time, so that the same
// binary has the same bill.
func billOf(path, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading what %s consists of: %w", filepath.Base(path), err)
	}
	sum, err := sumOf(path)
	if err != nil {
		return nil, err
	}
	program := component{
		Type: "application", Name: "clientintel", Version: version, PackageURL: packageURL(info.Main.Path, version),
		Hashes: []hash{{"SHA-256", sum}},
	}
	program.Ref = program.PackageURL
	for _, setting := range info.Settings {
		if setting.Value != "" && !strings.HasPrefix(setting.Key, "-") {
			program.Properties = append(program.Properties, property{"go:" + setting.Key, setting.Value})
		}
	}
	toolchain := strings.TrimPrefix(info.GoVersion, "go")
	parts := []component{library("stdlib", toolchain, "")}
	for _, dep := range info.Deps {
		parts = append(parts, libraryOf(dep))
	}
	b := bill{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		SerialNumber: "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(program.Ref+"#"+sum)).String(),
		Metadata:     metadata{program}, Components: parts,
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

func libraryOf(m *debug.Module) component {
	if m.Replace != nil {
		m = m.Replace
	}
	return library(m.Path, m.Version, m.Sum)
}

func library(path, version, sum string) component {
	c := component{Type: "library", Name: path, Version: version, PackageURL: packageURL(path, version)}
	c.Ref = c.PackageURL
	if sum != "" { // of the module's files, as go.sum has it; no digest of one file
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

func packageURL(path, version string) string {
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}
