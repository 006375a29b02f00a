package packages

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// packaged is the time of every file in a package: the earliest that a zip can have.
var packaged = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// file is a file of a package.
type file struct {
	name string
	text []byte
}

// Build makes the packages of the published clients out of a source tree, by their path
// below /docs/clients, with a file of their hashes. The same sources give the same bytes.
func Build(source string) (map[string][]byte, error) {
	made := map[string][]byte{}
	for _, build := range []func(string) (map[string][]byte, error){pythonWheel, npmPackage, goModule} {
		files, err := build(source)
		if err != nil {
			return nil, err
		}
		maps.Copy(made, files)
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(made)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(made[name]), name)
	}
	made["SHA256SUMS"] = []byte(sums.String())
	return made, nil
}

var pythonVersion = regexp.MustCompile(`(?m)^Version: (.+)$`)

// pythonWheel is a zip of the package and what pip reads of it.
func pythonWheel(source string) (map[string][]byte, error) {
	files, err := filesIn(source, "openapi/clients/python", "", "clientintel/*.py", "clientintel/py.typed")
	if err != nil {
		return nil, err
	}
	described, err := filesIn(source, "openapi/clients/python", "", "METADATA", "README.md")
	if err != nil {
		return nil, err
	}
	metadata, readme := described[0].text, described[1].text
	version := pythonVersion.FindSubmatch(metadata)
	if version == nil {
		return nil, errors.New("METADATA has no version")
	}
	name := "clientintel-" + string(version[1])
	info := name + ".dist-info/"
	licence, err := filesIn(source, ".", info+"licenses/", "LICENSE")
	if err != nil {
		return nil, err
	}
	files = append(append(files, licence...),
		file{info + "METADATA", slices.Concat(metadata, []byte("\n"), readme)},
		file{info + "WHEEL", []byte("Wheel-Version: 1.0\nGenerator: clientintel\nRoot-Is-Purelib: true\nTag: py3-none-any\n")})
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.text)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.text))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	content, err := zipped(append(files, file{info + "RECORD", []byte(record.String())}))
	return map[string][]byte{name + "-py3-none-any.whl": content}, err
}

func zipped(files []file) ([]byte, error) {
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: packaged}
		header.SetMode(0o644)
		w, err := writer.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return out.Bytes(), err
}

// packageDescription is what is read of the TypeScript client's package.json.
type packageDescription struct {
	Name, Version string
	Files         []string
}

func describedPackage(source string) (described packageDescription, err error) {
	text, err := os.ReadFile(filepath.Join(source, "openapi/clients/typescript/package.json"))
	if err == nil {
		err = json.Unmarshal(text, &described)
	}
	return described, err
}

// npmPackage is an archive of what package.json lists, and the licence.
func npmPackage(source string) (map[string][]byte, error) {
	described, err := describedPackage(source)
	if err != nil {
		return nil, err
	}
	files, err := filesIn(source, "openapi/clients/typescript", "package/", append([]string{"package.json"}, described.Files...)...)
	if err != nil {
		return nil, err
	}
	licence, err := filesIn(source, ".", "package/", "LICENSE")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	compress := gzip.NewWriter(&out)
	writer := tar.NewWriter(compress)
	for _, f := range append(files, licence...) {
		header := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), ModTime: packaged, Format: tar.FormatUSTAR}
		if err := writer.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := writer.Write(f.text); err != nil {
			return nil, err
		}
	}
	err = errors.Join(writer.Close(), compress.Close())
	return map[string][]byte{described.Name + "-" + described.Version + ".tgz": out.Bytes()}, err
}

const goModulePath = "github.com/clientintel/clientintel/openapi/clients/go"

// goModule is the module in the layout of Go's module proxies, without its tests: they need the
// repository. A module has no version of its own; it takes the npm package's.
func goModule(source string) (map[string][]byte, error) {
	described, err := describedPackage(source)
	if err != nil {
		return nil, err
	}
	prefix := goModulePath + "@v" + described.Version + "/"
	files, err := filesIn(source, "openapi/clients/go", prefix, "go.mod", "go.sum", "README.md", "*.go", "contract/*.go")
	if err != nil {
		return nil, err
	}
	licence, err := filesIn(source, ".", prefix, "LICENSE")
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(append(files, licence...), func(f file) bool { return strings.HasSuffix(f.name, "_test.go") })
	content, err := zipped(files)
	if err != nil {
		return nil, err
	}
	module, version := "go/"+goModulePath+"/@v/", "v"+described.Version
	return map[string][]byte{
		module + "list":            []byte(version + "\n"),
		module + version + ".info": []byte(`{"Version": "` + version + `"}` + "\n"),
		module + version + ".mod":  files[0].text,
		module + version + ".zip":  content,
	}, nil
}

// filesIn reads the files of a folder that match, in the order of the patterns. In the
// package their names have a prefix.
func filesIn(source, folder, prefix string, patterns ...string) ([]file, error) {
	var files []file
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(source, folder, pattern))
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s has no %s", folder, pattern)
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			inside, err := filepath.Rel(filepath.Join(source, folder), name)
			if err != nil {
				return nil, err
			}
			files = append(files, file{prefix + filepath.ToSlash(inside), text})
		}
	}
	return files, nil
}
