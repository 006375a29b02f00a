package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
)

// settingsRead are the environment's names that the program reads.
func settingsRead(t *testing.T) []string {
	t.Helper()
	var names []string
	note := func(name string) string { names = append(names, name); return "" }
	if _, err := config.FromEnv(note); err != nil {
		t.Fatal(err)
	}
	return names
}

var settingName = regexp.MustCompile(`\b(?:CLIENTINTEL|DATABASE)_[A-Z_]+\b`)

// What deploy/ and its page set is what the program reads.
func TestDeploy_SettingsExist(t *testing.T) {
	t.Parallel()
	read := settingsRead(t)
	for _, path := range []string{
		"deploy/Containerfile", "deploy/clientintel.service", "deploy/kubernetes/clientintel.yaml", "deploy/kubernetes/migrate.yaml", "docs/deployment.md",
	} {
		found := settingName.FindAllString(fileOf(t, path), -1)
		if len(found) == 0 {
			t.Errorf("%s sets nothing", path)
		}
		for _, name := range found {
			if !slices.Contains(read, name) {
				t.Errorf("%s names %s, which nothing reads", path, name)
			}
		}
	}
}

// The image and the service call commands that the binary has.
func TestDeploy_CommandsExist(t *testing.T) {
	t.Parallel()
	steps := map[string]string{}
	joined := strings.ReplaceAll(fileOf(t, "deploy/Containerfile"), "\\\n", " ")
	for line := range strings.Lines(joined) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			if steps[name] != "" && name != "COPY" {
				t.Errorf("%s stands twice", name)
			}
			steps[name] = strings.TrimSpace(steps[name] + "\n" + rest)
		}
	}
	_, asked, _ := strings.Cut(steps["HEALTHCHECK"], "CMD ")
	calls := [][]string{words(t, asked), append(words(t, steps["ENTRYPOINT"]), words(t, steps["CMD"])...)}
	_, run, ok := strings.Cut(fileOf(t, "deploy/clientintel.service"), "\nExecStart=")
	if !ok {
		t.Fatal("the service starts nothing")
	}
	run, _, _ = strings.Cut(run, "\n")
	calls = append(calls, strings.Fields(run))

	for _, call := range calls {
		if filepath.Base(call[0]) != "clientintel" {
			t.Errorf("%q runs something else", call)
		}
		if said, err := exec.Command(filepath.Join(outDir, here.binary()), append(call[1:], "--help")...).CombinedOutput(); err != nil {
			t.Errorf("%q: %v\n%s", call, err, said)
		}
	}
}

func words(t *testing.T, list string) []string {
	t.Helper()
	var found []string
	if err := json.Unmarshal([]byte(list), &found); err != nil {
		t.Fatalf("%q is no list of words: %v", list, err)
	}
	return found
}

func fileOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
