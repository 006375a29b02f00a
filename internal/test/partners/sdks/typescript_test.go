//go:build partners && clientintel_testing

package sdks_test

import (
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/npm"
)

var typescript = &npm.Folder{Path: "typescript"}

// Two generators, one compilation in strict mode, and each client's own tour.
func TestTypeScript(t *testing.T) {
	r := prepare(t)
	folder := typescript
	r.env = append(r.env, "CONTRACT="+r.contract)
	node, modules := folder.Node(t), absolute(t, "typescript/node_modules")
	// Both are made in the folder itself, where their packages are found.
	_, first := r.run(t, "typescript", node, filepath.Join(modules, "openapi-typescript/bin/cli.js"),
		r.contract, "--output", "made/openapi-typescript.ts")
	_, second := r.run(t, "typescript", node, filepath.Join(modules, "@hey-api/openapi-ts/bin/run.js"), "--no-log-file")
	_, third := r.run(t, "typescript", node, filepath.Join(modules, "typescript/bin/tsc"), "--project", ".")
	explained(t, "typescript", first+"\n"+second+"\n"+third)
	for _, client := range []string{"openapi-fetch.mts", "hey-api.mts"} {
		t.Run(client, func(t *testing.T) {
			printed, _ := r.run(t, "typescript", node, "--experimental-strip-types", "--no-warnings", client)
			r.walked(t, printed)
		})
	}
}
