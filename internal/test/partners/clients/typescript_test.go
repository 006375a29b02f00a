//go:build partners && clientintel_testing

package clients_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/require"
)

// tools are what the client is made with and run by. Only their own folder is
// installed into.
var tools = npm.Folder{Path: "typescript"}

func TestTypeScript(t *testing.T) {
	node := tools.Node(t)
	srv, env := start(t)
	folder := t.TempDir()
	// Deno reads only packages that are named in package.json, as npm does.
	run(t, folder, nil, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", srv.URL+"/docs/clients/clientintel-1.2.0.tgz")

	t.Run("what is committed is what build.sh makes", func(t *testing.T) {
		made := t.TempDir()
		run(t, "../../../..", nil, "sh", "openapi/clients/typescript/build.sh", made)
		for _, name := range []string{"index.js", "index.d.ts", "contract.d.ts"} {
			check.Equal(t, read(t, filepath.Join(made, name)), read(t, published+"typescript/"+name), name, "is stale: run build.sh")
		}
	})
	for _, name := range []string{"conformance.mjs", "run.mjs", "worker.mjs"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(read(t, "typescript/"+name)), 0o600))
	}
	modules, err := filepath.Abs("typescript/node_modules")
	require.NoError(t, err)
	runtimes := map[string][]string{
		"Node": {node, "run.mjs"},
		"Bun":  {filepath.Join(modules, "@oven/bun-linux-x64/bin/bun"), "run.mjs"},
		// It may reach the network and read its settings, and nothing else.
		"Deno":    {filepath.Join(modules, "@deno/linux-x64-glibc/deno"), "run", "--no-prompt", "--no-remote", "--node-modules-dir=manual", "--allow-net=127.0.0.1", "--allow-env", "run.mjs"},
		"workerd": {node, filepath.Join(modules, "../workerd.mjs"), folder},
	}
	for runtime, command := range runtimes {
		for mode, key := range brandKeys(t, srv) {
			t.Run(runtime+", "+mode, func(t *testing.T) {
				printed := run(t, folder, append(env, "KEY="+key), command[0], command[1:]...)
				readsTheSame(t, printed, served(t, srv, brandKeys(t, srv)[mode]))
			})
		}
	}
	t.Run("README", func(t *testing.T) {
		for _, b := range blocksOf(t, published+"typescript/README.md") {
			if b.tag != "js" {
				continue
			}
			file := filepath.Join(folder, "block.mjs")
			require.NoError(t, os.WriteFile(file, []byte(b.text), 0o600))
			if printed := run(t, folder, env, node, file); printed == "" {
				t.Errorf("prints nothing:\n%s", b.text)
			}
		}
	})
}
