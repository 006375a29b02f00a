package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/clientintel/clientintel/internal/config"
)

// The table of settings is a part of this page, between two comments.
const (
	settingsPage  = "docs/deployment.md"
	settingsBegin = "<!-- settings: begin, made by make generate -->\n"
	settingsEnd   = "<!-- settings: end -->"
)

// settings is the page with the table of settings, which is made from the tags of
// their fields.
func settings() ([]byte, error) {
	page, err := os.ReadFile(settingsPage)
	if err != nil {
		return nil, err
	}
	before, rest, hasBegin := strings.Cut(string(page), settingsBegin)
	_, after, hasEnd := strings.Cut(rest, settingsEnd)
	if !hasBegin || !hasEnd {
		return nil, fmt.Errorf("%s has no place for the settings", settingsPage)
	}
	var table strings.Builder
	table.WriteString("| variable | flag | default | meaning |\n| --- | --- | --- | --- |\n")
	for _, f := range config.Fields(&config.Settings{}) {
		flag, preset := "", "none"
		if f.Flag != "" {
			flag = "`--" + f.Flag + "`"
		}
		if f.Default != "" {
			preset = f.Default
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", f.Variable, flag, preset, f.Meaning)
	}
	return []byte(before + settingsBegin + table.String() + settingsEnd + after), nil
}
