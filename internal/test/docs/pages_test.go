package docs_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/require"
)

// root is the repository, seen from this package.
const root = "../../.."

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}

// pages are the repository's documents, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "openapi/guides/*.md", "openapi/connectors/*.md", "openapi/clients/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(paths), err)
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			require.NoError(t, err)
			found[name] = readFile(t, name)
		}
	}
	return found
}
