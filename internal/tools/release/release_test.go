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
	"strings"
	"testing"
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
	t.Parallel()
	path := filepath.Join(outDir, here.binary())
	holdStatic(t, path)

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{source + "/", home + "/go/", outDir} {
		if bytes.Contains(content, []byte(private)) {
			t.Errorf("the binary holds the path %s", private)
		}
	}

	text, err := billOf(path, "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := billOf(path, "1.2.3"); err != nil || !bytes.Equal(again, text) {
		t.Errorf("two bills of one binary differ (%v)", err)
	}
	holdBill(t, text)
	holdNotices(t, path, text)
}

// holdNotices wants the licences of every part that the bill names.
func holdNotices(t *testing.T, path string, text []byte) {
	t.Helper()
	notices, err := noticesOf(t.Context(), []string{path})
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	for _, part := range b.Components {
		name := part.Name + " " + part.Version
		if part.Name == "stdlib" {
			name = "Go go" + part.Version
		}
		if !bytes.Contains(notices, []byte("\n"+name+": ")) {
			t.Errorf("no licence of %s is passed on", name)
		}
	}
}

func holdStatic(t *testing.T, path string) {
	t.Helper()
	file, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
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

var required = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)

func holdBill(t *testing.T, text []byte) {
	t.Helper()
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if got := b.Metadata.Component.PackageURL; got != "pkg:golang/github.com/clientintel/clientintel@1.2.3" {
		t.Errorf("the bill is of %s", got)
	}
	named := map[string]string{}
	for _, c := range b.Components {
		if c.Name != "stdlib" && (len(c.Properties) != 1 || !strings.HasPrefix(c.Properties[0].Value, "h1:")) {
			t.Errorf("%s has no checksum", c.Ref)
		}
		if named[c.Name] != "" || c.Version == "" {
			t.Errorf("%s is named twice, or without a version", c.Ref)
		}
		named[c.Name] = c.Version
	}
	content, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{}
	for _, line := range required.FindAllSubmatch(content, -1) {
		wanted[string(line[1])] = string(line[2])
	}
	for name, version := range named {
		if name != "stdlib" && wanted[name] != version {
			t.Errorf("the bill has %s %s, go.mod has %s", name, version, wanted[name])
		}
	}
	for _, name := range []string{"stdlib", "github.com/jackc/pgx/v5", "github.com/go-chi/chi/v5", "github.com/modelcontextprotocol/go-sdk"} {
		if named[name] == "" {
			t.Errorf("the bill does not have %s", name)
		}
	}
	for _, tool := range []string{"github.com/sqlc-dev/sqlc", "github.com/oapi-codegen/oapi-codegen/v2"} {
		if named[tool] != "" {
			t.Errorf("the generator %s is in the binary", tool)
		}
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
