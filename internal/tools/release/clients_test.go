package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A wheel's record names every file of it with its hash, and the packages come out
// the same wherever they are made, each with the licence that it is passed on under.
func TestClients(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	names, err := buildClients(root, first)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(second, "elsewhere")
	if err := os.CopyFS(filepath.Join(copied, "openapi/clients"), os.DirFS(filepath.Join(root, "openapi/clients"))); err != nil {
		t.Fatal(err)
	}
	licence, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "LICENSE"), licence, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := buildClients(copied, second); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		a, errA := os.ReadFile(filepath.Join(first, name))
		b, errB := os.ReadFile(filepath.Join(second, name))
		if errA != nil || errB != nil || len(a) < 5000 || !bytes.Equal(a, b) {
			t.Errorf("%s: %d and %d bytes, %v, %v", name, len(a), len(b), errA, errB)
		}
	}
	wheel, err := zip.OpenReader(filepath.Join(first, names[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer wheel.Close()
	record, lines := "", map[string]bool{}
	for _, f := range wheel.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		lines[fmt.Sprintf("%s,sha256=%s,%d", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))] = true
		if strings.HasSuffix(f.Name, "/RECORD") {
			record = string(text)
		}
	}
	recorded := strings.Split(strings.TrimSpace(record), "\n")
	for _, line := range recorded[:len(recorded)-1] {
		if !lines[line] {
			t.Errorf("the record says %s", line)
		}
	}
	if len(recorded) != len(wheel.File) || len(recorded) < 10 {
		t.Errorf("%d files, %d recorded", len(wheel.File), len(recorded))
	}
	sum := sha256.Sum256(licence)
	if line := fmt.Sprintf(".dist-info/licenses/LICENSE,sha256=%s,%d\n", base64.RawURLEncoding.EncodeToString(sum[:]), len(licence)); !strings.Contains(record, line) {
		t.Errorf("the wheel has no %q", line)
	}
	listed, err := exec.Command("tar", "-tzf", filepath.Join(first, names[1])).CombinedOutput()
	if err != nil || !strings.Contains(string(listed), "package/LICENSE\n") {
		t.Errorf("the npm package has %v\n%s", err, listed)
	}
}

// Go takes the module from a proxy's folder and checks its form; it needs no other
// module of ours, and none of its tests, which do.
func TestGoModule(t *testing.T) {
	t.Parallel()
	content, name, err := goModule(root)
	if err != nil {
		t.Fatal(err)
	}
	version := "v" + strings.TrimSuffix(strings.TrimPrefix(name, "clientintel-go-"), ".zip")
	proxy, cache := t.TempDir(), t.TempDir()
	folder := filepath.Join(proxy, goModulePath, "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	described, err := os.ReadFile(filepath.Join(root, "openapi/clients/go/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(described), "github.com/clientintel/") != 1 {
		t.Errorf("the module needs another of ours:\n%s", described)
	}
	for name, text := range map[string][]byte{".info": []byte(`{"Version": "` + version + `"}`), ".mod": described, ".zip": content} {
		if err := os.WriteFile(filepath.Join(folder, version+name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	download := exec.Command("go", "mod", "download", "-modcacherw", goModulePath+"@"+version)
	download.Dir = t.TempDir()
	download.Env = append(os.Environ(), "GOPROXY=file://"+proxy, "GOMODCACHE="+cache, "GONOSUMDB=*", "GOFLAGS=-mod=mod", "GOWORK=off")
	if output, err := download.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	taken := filepath.Join(cache, goModulePath+"@"+version)
	for _, name := range []string{"LICENSE", "README.md", "go.sum", "client.go", "contract/contract.gen.go"} {
		if _, err := os.Stat(filepath.Join(taken, name)); err != nil {
			t.Error(err)
		}
	}
	if tests, err := filepath.Glob(filepath.Join(taken, "*_test.go")); err != nil || len(tests) > 0 {
		t.Errorf("it has %v, %v", tests, err)
	}
}
