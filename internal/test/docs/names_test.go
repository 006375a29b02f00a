package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	testName   = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9_]+)`")
	testStart  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9_]+)\(`)
	path       = regexp.MustCompile(`(?:^|[^/\w.-])((?:internal|cmd|sql|gen|openapi|deploy|docs)/[\w./*{}-]*[\w/*])`)
	makeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z-]*)")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// existingTests are the names of all tests and fuzz tests in the repository.
func existingTests(t *testing.T) map[string]bool {
	t.Helper()
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
	return exist
}

// TestPages_NameTestsThatExist: a page that says what tests a promise names a test
// that is there.
func TestPages_NameTestsThatExist(t *testing.T) {
	t.Parallel()
	exist, named := existingTests(t), map[string]bool{}
	for page, text := range pages(t) {
		for _, found := range testName.FindAllStringSubmatch(text, -1) {
			if named[found[1]] = true; !exist[found[1]] {
				t.Errorf("%s names %s, which does not exist", page, found[1])
			}
		}
	}
	if len(named) < 50 {
		t.Errorf("only %d tests are named", len(named))
	}
}

// TestThreatModel_NamesEveryFuzzTest: each decoder of a caller's bytes is named in
// the threat model.
func TestThreatModel_NamesEveryFuzzTest(t *testing.T) {
	t.Parallel()
	model := readFile(t, "docs/threat-model.md")
	for name := range existingTests(t) {
		if strings.HasPrefix(name, "Fuzz") && !strings.Contains(model, "`"+name+"`") {
			t.Errorf("the threat model does not name %s", name)
		}
	}
}

// TestPages_NameFilesThatExist: files and directories of the repository, wherever
// a page names one.
func TestPages_NameFilesThatExist(t *testing.T) {
	t.Parallel()
	checked := 0
	for page, text := range pages(t) {
		for _, found := range path.FindAllStringSubmatch(text, -1) {
			checked++
			matches, err := filepath.Glob(filepath.Join(root, found[1]))
			if err != nil || len(matches) == 0 {
				t.Errorf("%s names %s, which does not exist", page, found[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d names were checked", checked)
	}
}

// TestPages_NameTargetsThatExist: every make target that a page names.
func TestPages_NameTargetsThatExist(t *testing.T) {
	t.Parallel()
	targets := readFile(t, "Makefile")
	for page, text := range pages(t) {
		for _, found := range makeTarget.FindAllStringSubmatch(text, -1) {
			if !strings.Contains("\n"+targets, "\n"+found[1]+":") {
				t.Errorf("%s names make %s, which does not exist", page, found[1])
			}
		}
	}
}

// TestPages_LinksLeadSomewhere: links to files of the repository, and to headings
// in them.
func TestPages_LinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for page, text := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			file := page
			if target != "" {
				file = filepath.Join(filepath.Dir(page), target)
			}
			if _, err := os.Stat(filepath.Join(root, file)); err != nil {
				t.Errorf("%s links to %s, which does not exist", page, found[1])
				continue
			}
			if anchor != "" && !anchors(readFile(t, file))[anchor] {
				t.Errorf("%s links to %s, and no heading there has that anchor", page, found[1])
			}
		}
	}
}

// anchors are those that GitHub gives a page's headings.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h[1])] = true
	}
	return found
}
