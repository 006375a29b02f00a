//go:build partners && clientintel_testing

package sdks_test

import (
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/npm"
)

var typescript = &npm.Folder{Path: "typescript"}

// Three generators, one compilation in strict mode, and each client reads what the matrix reads.
func TestTypeScript(t *testing.T) {
	s := startMatrix(t)
	r, folder := tour{env: s.env}, typescript
	node, modules := folder.Node(t), absolute(t, "typescript/node_modules")
	// Both are made in the folder itself, where their packages are found.
	_, first := r.run(t, "typescript", node, filepath.Join(modules, "openapi-typescript/bin/cli.js"),
		s.document(false), "--output", "made/openapi-typescript.ts")
	_, second := r.run(t, "typescript", node, filepath.Join(modules, "@hey-api/openapi-ts/bin/run.js"), "--no-log-file")
	_, third := r.run(t, "typescript", node, filepath.Join(modules, "orval/dist/bin/orval.mjs"), "--config", "orval.config.mjs")
	_, compiled := r.run(t, "typescript", node, filepath.Join(modules, "typescript/bin/tsc"), "--project", ".")
	explained(t, "typescript", first+"\n"+second+"\n"+third+"\n"+compiled)
	for client, wrong := range map[string][]string{
		"openapi-fetch.mts": nil, "hey-api.mts": nil, "orval-fetch.mts": nil, "orval-zod.mts": {"canonical portal", "legacy portal"},
	} {
		t.Run(client, func(t *testing.T) {
			printed, _ := r.run(t, "typescript", node, "--experimental-strip-types", "--no-warnings", client)
			s.compare(t, printed, wrong)
		})
	}
}
