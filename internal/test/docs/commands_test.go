package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

var (
	command = regexp.MustCompile(`(?m)(-m )?\bclientintel((?: [a-z][a-z-]*)+)([^|&;>#` + "`" + `\n]*)`)
	flag    = regexp.MustCompile(`--[a-z][a-z-]*`)
	offered = regexp.MustCompile(`(?m)^  ([a-z][a-z-]*) `)
	// takesArguments matches the help of a command that takes arguments beside its subcommands.
	takesArguments = regexp.MustCompile(`(?m)^  clientintel [a-z ]*[A-Z]+`)
)

// TestPages_NameCommandsThatExist: the program has every command and flag that a page
// shows.
func TestPages_NameCommandsThatExist(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "clientintel")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/clientintel")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v: %s", err, out)
	}
	known := map[string]string{}
	help := func(words []string) string {
		name := strings.Join(words, " ")
		if _, ok := known[name]; !ok {
			out, err := exec.CommandContext(t.Context(), program, append(words, "--help")...).CombinedOutput()
			require.NoError(t, err, name)
			known[name] = string(out)
		}
		return known[name]
	}
	checked := 0
	for page, text := range pages(t) {
		text = strings.ReplaceAll(text, "\\\n", " ")
		for _, piece := range code.FindAllString(text, -1) {
			for _, found := range command.FindAllStringSubmatch(piece, -1) {
				if found[1] != "" {
					continue // the Python module of the same name
				}
				checked++
				words := strings.Fields(found[2])
				var name []string
				for _, word := range words {
					_, commands, isGroup := strings.Cut(help(name), "Available Commands:\n")
					if !isGroup {
						break // the rest are arguments
					}
					commands, _, _ = strings.Cut(commands, "\n\n")
					exists := has(offered.FindAllStringSubmatch(commands, -1), word)
					if !exists && takesArguments.MatchString(help(name)) {
						break
					}
					if !exists {
						t.Errorf("%s: clientintel %s has no command %s", page, strings.Join(name, " "), word)
						break
					}
					name = append(name, word)
				}
				for _, used := range flag.FindAllString(found[3], -1) {
					check.Contains(t, help(name), used+" ", page, strings.Join(name, " "), used)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("no page shows a command")
	}
}

func has(matches [][]string, word string) bool {
	for _, match := range matches {
		if match[1] == word {
			return true
		}
	}
	return false
}
