package docs_test

import (
	"os"
	"path/filepath"
	"testing"
)

// root is the repository, seen from this package.
const root = "../../.."

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pages are the documents about the code: docs/ and those beside it that name
// tests, files or targets.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(paths) < 10 {
		t.Fatalf("found %d pages: %v", len(paths), err)
	}
	found := map[string]string{"README.md": readFile(t, "README.md"), "SECURITY.md": readFile(t, "SECURITY.md")}
	for _, path := range paths {
		name := "docs/" + filepath.Base(path)
		found[name] = readFile(t, name)
	}
	return found
}
