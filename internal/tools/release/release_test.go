package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

const root = "../../.."

// here is built once, for every test that looks at what is shipped.
var (
	here   = target{"linux", "amd64"}
	outDir string
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if outDir, err = os.MkdirTemp("", "clientintel-release"); err == nil {
			defer os.RemoveAll(outDir)
			err = build(context.Background(), root, outDir, "1.2.3", here)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// What is shipped needs nothing beside it, holds no path of the machine that
// built it, knows its version, and its bill names every module that go.mod
// requires of it, at that version.
func TestBinary(t *testing.T) {
	path := filepath.Join(outDir, here.binary())
	holdStatic(t, path)

	content, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := filepath.Abs(root)
	require.NoError(t, err)
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	for _, private := range []string{source + "/", home + "/go/", outDir} {
		if bytes.Contains(content, []byte(private)) {
			t.Errorf("the binary holds the path %s", private)
		}
	}

	copied := filepath.Join(t.TempDir(), "clientintel")
	require.NoError(t, os.WriteFile(copied, content, 0o700))
	t.Chdir(root)
	require.NoError(t, writeBill(t.Context(), copied, "1.2.3"))
	text, err := os.ReadFile(copied + ".cdx.json")
	require.NoError(t, err)
	holdBill(t, text)
	holdNotices(t, path, text)
}

// bill is what is read of a bill of materials.
type bill struct {
	Metadata   struct{ Component component }
	Components []component
}

type component struct{ Name, Version, Purl string }

// holdNotices wants the licences of every part that the bill names.
func holdNotices(t *testing.T, path string, text []byte) {
	t.Helper()
	notices, err := noticesOf(t.Context(), []string{path})
	require.NoError(t, err)
	var b bill
	require.NoError(t, json.Unmarshal(text, &b))
	for _, part := range b.Components {
		name := part.Name + " " + part.Version
		if part.Name == "std" {
			name = "Go " + part.Version
		}
		if !bytes.Contains(notices, []byte("\n"+name+": ")) {
			t.Errorf("no licence of %s is passed on", name)
		}
	}
}

func holdStatic(t *testing.T, path string) {
	t.Helper()
	file, err := elf.Open(path)
	require.NoError(t, err)
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || len(libraries) > 0 {
		t.Errorf("the binary needs the libraries %v (%v)", libraries, err)
	}
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			t.Error("the binary needs a loader")
		}
	}
}

var required = regexp.MustCompile(`(?m)^(?:\t|require )(\S+) (v\S+)`)

func holdBill(t *testing.T, text []byte) {
	t.Helper()
	var b bill
	require.NoError(t, json.Unmarshal(text, &b))
	if got := b.Metadata.Component; got.Name != "github.com/clientintel/clientintel" || got.Version != "1.2.3" {
		t.Errorf("the bill is of %+v", got)
	}
	named := map[string]string{}
	for _, c := range b.Components {
		if named[c.Name] != "" || c.Version == "" {
			t.Errorf("%s is named twice, or without a version", c.Purl)
		}
		named[c.Name] = c.Version
	}
	content, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	wanted := map[string]string{}
	for _, line := range required.FindAllSubmatch(content, -1) {
		wanted[string(line[1])] = string(line[2])
	}
	for name, version := range named {
		if name != "std" && name != "chart.js" && wanted[name] != version {
			t.Errorf("the bill has %s %s, go.mod has %s", name, version, wanted[name])
		}
	}
	for _, name := range []string{"std", "github.com/jackc/pgx/v5", "github.com/go-chi/chi/v5", "github.com/modelcontextprotocol/go-sdk", "chart.js"} {
		if named[name] == "" {
			t.Errorf("the bill does not have %s", name)
		}
	}
	for _, tool := range []string{"github.com/sqlc-dev/sqlc", "github.com/oapi-codegen/oapi-codegen/v2"} {
		check.Equal(t, named[tool], "", "the generator is in the binary", tool)
	}
}

// A binary prints the version that it was built with.
func TestBinary_PrintsItsVersion(t *testing.T) {
	t.Parallel()
	told, err := exec.Command(filepath.Join(outDir, here.binary()), "version").Output()
	if err != nil || string(told) != "clientintel 1.2.3\n" {
		t.Errorf("it tells %q (%v)", told, err)
	}
}
