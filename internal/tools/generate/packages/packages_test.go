package packages

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

const (
	root      = "../../../.."
	wheelName = "clientintel-1.2.0-py3-none-any.whl"
)

// A wheel's record names every file of it with its hash, and the packages come out
// the same wherever they are made, each with the licence that it is passed on under.
func TestBuild(t *testing.T) {
	t.Parallel()
	made, err := Build(root)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "elsewhere")
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
	again, err := Build(copied)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range made {
		if !bytes.Equal(again[name], content) {
			t.Errorf("%s: %d and %d bytes", name, len(content), len(again[name]))
		}
		if sum := fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name); name != "SHA256SUMS" && !strings.Contains(string(made["SHA256SUMS"]), sum) {
			t.Errorf("SHA256SUMS has not %s", sum)
		}
	}
	wheel, err := zip.NewReader(bytes.NewReader(made[wheelName]), int64(len(made[wheelName])))
	if err != nil {
		t.Fatal(err)
	}
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
	list := exec.Command("tar", "-tz")
	list.Stdin = bytes.NewReader(made["clientintel-1.2.0.tgz"])
	if listed, err := list.CombinedOutput(); err != nil || !strings.Contains(string(listed), "package/LICENSE\n") {
		t.Errorf("the npm package has %v\n%s", err, listed)
	}
}

// Go takes the module from a proxy's folder and checks its form; it needs no other
// module of ours, and none of its tests, which do.
func TestGoModule(t *testing.T) {
	t.Parallel()
	files, err := goModule(root)
	if err != nil {
		t.Fatal(err)
	}
	proxy, cache, version := t.TempDir(), t.TempDir(), "v1.2.0"
	for name, content := range files {
		path := filepath.Join(proxy, strings.TrimPrefix(name, "go/"))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".mod") && strings.Count(string(content), "github.com/clientintel/") != 1 {
			t.Errorf("the module needs another of ours:\n%s", content)
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
