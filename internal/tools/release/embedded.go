package main

import (
	"encoding/json"
	"fmt"
	"os"
)

// The pages embed a library that the linker does not note: which one is in the lockfile.
const (
	webLockfile  = "internal/web/package-lock.json"
	chartLicence = "internal/web/assets/chart.LICENSE.txt"
)

// billPart is a component of a bill of materials, with what is bundled in it.
type billPart struct {
	Type     string     `json:"type"`
	Name     string     `json:"name"`
	Version  string     `json:"version"`
	Purl     string     `json:"purl"`
	Licenses []any      `json:"licenses"`
	Parts    []billPart `json:"components,omitempty"`
}

// chartLibrary is the library that the pages draw with.
func chartLibrary() (billPart, error) {
	text, err := os.ReadFile(webLockfile)
	if err != nil {
		return billPart{}, err
	}
	var lock struct {
		Packages map[string]struct{ Version, License string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return billPart{}, fmt.Errorf("reading %s: %w", webLockfile, err)
	}
	part := func(name, encoded string) billPart {
		p := lock.Packages["node_modules/"+name]
		licence := map[string]any{"license": map[string]string{"id": p.License}}
		return billPart{Type: "library", Name: name, Version: p.Version, Purl: "pkg:npm/" + encoded + "@" + p.Version, Licenses: []any{licence}}
	}
	library := part("chart.js", "chart.js")
	library.Parts = []billPart{part("@kurkle/color", "%40kurkle/color")}
	if library.Version == "" || library.Parts[0].Version == "" || len(lock.Packages) != 3 {
		return billPart{}, fmt.Errorf("%s has not what the pages embed", webLockfile)
	}
	return library, nil
}

// addChartLibrary adds it to a bill.
func addChartLibrary(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var bill map[string]any
	if err := json.Unmarshal(text, &bill); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	library, err := chartLibrary()
	if err != nil {
		return err
	}
	parts, _ := bill["components"].([]any)
	bill["components"] = append(parts, library)
	if text, err = json.MarshalIndent(bill, "", "  "); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
