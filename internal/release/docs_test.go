package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName  = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	testStart = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
)

// A promise is held by a test that exists, by the name that the page gives it;
// and the page knows every fuzz test.
func TestThreatModel_NamesTestsThatExist(t *testing.T) {
	t.Parallel()
	exist := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, found := range testStart.FindAllSubmatch(content, -1) {
			exist[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, found := range testName.FindAllStringSubmatch(fileOf(t, "docs/threat-model.md"), -1) {
		if named[found[1]] = true; !exist[found[1]] {
			t.Errorf("the threat model names %s, which does not exist", found[1])
		}
	}
	for name := range exist {
		if strings.HasPrefix(name, "Fuzz") && !named[name] {
			t.Errorf("the threat model does not name %s", name)
		}
	}
	if len(named) < 40 {
		t.Errorf("only %d tests are named", len(named))
	}
}
