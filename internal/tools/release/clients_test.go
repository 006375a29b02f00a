package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wheel's record names every file of it with its hash, and the packages come out
// the same wherever they are made.
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
}
