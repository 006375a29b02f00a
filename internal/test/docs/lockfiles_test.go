package docs_test

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	lockedPython = regexp.MustCompile(`^[a-z0-9-]+==[^ ]+( ; [^\\]+)?( --hash=sha256:[0-9a-f]{64})+$`)
	lockedCrate  = regexp.MustCompile(`(?m)^source = (?s:.*)^checksum = "[0-9a-f]{64}"$`)
)

// unlocked are the packages of a lockfile that have no hash there.
var unlocked = map[string]func(t *testing.T, text string) (count int, found []string){
	"requirements.txt": func(_ *testing.T, text string) (count int, found []string) {
		for line := range strings.Lines(regexp.MustCompile(`\\\n +`).ReplaceAllString(text, "")) {
			if count++; !lockedPython.MatchString(strings.TrimSpace(line)) {
				found = append(found, line)
			}
		}
		return count, found
	},
	"package-lock.json": func(t *testing.T, text string) (count int, found []string) {
		t.Helper()
		var lock struct {
			Packages map[string]struct {
				Integrity string `json:"integrity"`
				InBundle  bool   `json:"inBundle"` // in the archive of another, whose hash it is under
			} `json:"packages"`
		}
		if err := json.Unmarshal([]byte(text), &lock); err != nil {
			t.Fatal(err)
		}
		for name, locked := range lock.Packages {
			if count++; name != "" && !locked.InBundle && !strings.HasPrefix(locked.Integrity, "sha512-") {
				found = append(found, name)
			}
		}
		return count, found
	},
	// The one package without a source is the lockfile's own.
	"Cargo.lock": func(_ *testing.T, text string) (count int, found []string) {
		own := 0
		for _, locked := range strings.Split(text, "[[package]]\n")[1:] {
			count++
			if !strings.Contains(locked, "\nsource = ") && own == 0 {
				own++
			} else if !lockedCrate.MatchString(locked) {
				found = append(found, locked)
			}
		}
		return count, found
	},
}

// TestLockfiles_EachPackageHasAHash: what CI and the tests install from a registry
// is what was there when the lockfile was made. go.sum needs no test: Go refuses a
// module that it lacks.
func TestLockfiles_EachPackageHasAHash(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && (name == "node_modules" || name == ".venv" || name == ".git") {
			return fs.SkipDir
		}
		check := unlocked[entry.Name()]
		if check == nil {
			return nil
		}
		files[entry.Name()]++
		count, found := check(t, readFile(t, strings.TrimPrefix(path, root)))
		if count == 0 {
			t.Errorf("%s locks nothing", path)
		}
		for _, name := range found {
			t.Errorf("%s has no hash of %s", path, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files["requirements.txt"] < 9 || files["package-lock.json"] < 5 || files["Cargo.lock"] < 1 {
		t.Errorf("only %v: the lockfiles have other names", files)
	}
}
