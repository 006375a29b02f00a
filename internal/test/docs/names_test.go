package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/clientintel/clientintel/internal/test/check"
)

var (
	path       = regexp.MustCompile(`(?:^|[^/\w.-])((?:internal|cmd|sql|gen|openapi|deploy|docs)/[\w./*{}-]*[\w/*])`)
	makeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z][a-z-]*)")
	code       = regexp.MustCompile("(?s)```[^\n]*\n.*?\n *```|`[^`\n]+`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fence      = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
)

// TestPages_NameFilesThatExist: a page names files and directories that are in the
// repository.
func TestPages_NameFilesThatExist(t *testing.T) {
	t.Parallel()
	for page, text := range pages(t) {
		if strings.HasPrefix(page, "openapi/") {
			continue // these are read outside the repository
		}
		for _, found := range path.FindAllStringSubmatch(text, -1) {
			matches, err := filepath.Glob(filepath.Join(root, found[1]))
			if err != nil || len(matches) == 0 {
				t.Errorf("%s names %s, which does not exist", page, found[1])
			}
		}
	}
}

// TestPages_NameTargetsThatExist: a page names make targets that the Makefile has.
func TestPages_NameTargetsThatExist(t *testing.T) {
	t.Parallel()
	targets := readFile(t, "Makefile")
	for page, text := range pages(t) {
		for _, piece := range code.FindAllString(text, -1) {
			for _, found := range makeTarget.FindAllStringSubmatch(piece, -1) {
				check.Contains(t, "\n"+targets, "\n"+found[1]+":", page, found[1])
			}
		}
	}
}

// TestPages_LinksLeadSomewhere: a link leads to a file of the repository and, if it
// has an anchor, to a heading there.
func TestPages_LinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	// The guides' link to the contract is right where they are served.
	served := []string{"./openapi.json"}
	for page, text := range pages(t) {
		for _, found := range link.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") || slices.Contains(served, target) {
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
	for _, h := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
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
