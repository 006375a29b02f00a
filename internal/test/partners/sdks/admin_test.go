//go:build partners && clientintel_testing

package sdks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
)

// Generators make clients of the administration API that compile.
func TestAdmin_ClientsAreGenerated(t *testing.T) {
	contract, folder := absolute(t, "../../../../openapi/generated/admin.json"), t.TempDir()
	r := tour{env: os.Environ()}
	root := absolute(t, "../../../..")
	program := filepath.Join(folder, "admin.go")
	r.run(t, root, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "admin", "-o", program, contract)
	r.run(t, root, "go", "build", "-o", os.DevNull, program)

	bin := partnerserver.Python(t, "python/requirements.txt")
	r.env = append(r.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	r.run(t, folder, filepath.Join(bin, "openapi-python-client"), "generate", "--path", contract, "--meta", "none", "--output-path", "made", "--fail-on-warning")
	r.run(t, folder, filepath.Join(bin, "python"), "-W", "error", "-m", "compileall", "-q", "made")

	node, modules := typescript.Node(t), absolute(t, "typescript/node_modules")
	types := filepath.Join(folder, "admin.ts")
	r.run(t, folder, node, filepath.Join(modules, "openapi-typescript/bin/cli.js"), contract, "--output", types)
	r.run(t, folder, node, filepath.Join(modules, "typescript/bin/tsc"), "--noEmit", "--strict", types)
}
