package docs_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/clientintel/clientintel/"

// picture is what the page draws: boxes with one package or several, in layers from
// the highest down, and arrows between boxes.
type picture struct {
	boxOf   map[string]string // by package
	layerOf map[string]int    // by box
	arrows  map[string]bool
}

// TestArchitecture_PictureEqualsTheImports: the picture has every package of ours that
// the binary is built from, in layers that import downwards, and every import between
// boxes that no longer path of arrows shows.
func TestArchitecture_PictureEqualsTheImports(t *testing.T) {
	t.Parallel()
	drawn := drawnPicture(t)
	imports := map[string][]string{} // by box
	packages := binaryImports(t)
	for name, imported := range packages {
		box, ok := drawn.boxOf[name]
		if !ok {
			t.Errorf("the picture lacks the package %s", name)
			continue
		}
		for _, to := range imported {
			if other := drawn.boxOf[to]; other != "" && other != box && !slices.Contains(imports[box], other) {
				imports[box] = append(imports[box], other)
			}
		}
	}
	for name := range drawn.boxOf {
		if _, ok := packages[name]; !ok {
			t.Errorf("the picture shows %s, which the binary does not contain", name)
		}
	}
	var missing []string
	for from, imported := range imports {
		for _, to := range imported {
			if drawn.layerOf[to] < drawn.layerOf[from] {
				t.Errorf("%s imports %s, which the picture shows in a higher layer", from, to)
			}
			if impliedBy(imports, imported, to) {
				continue
			}
			arrow := from + " --> " + to
			if !drawn.arrows[arrow] {
				missing = append(missing, "  "+arrow)
			}
			delete(drawn.arrows, arrow)
		}
	}
	slices.Sort(missing)
	if len(missing) > 0 {
		t.Errorf("the picture lacks these arrows:\n%s", strings.Join(missing, "\n"))
	}
	if len(drawn.arrows) > 0 {
		t.Errorf("the picture shows arrows that are no import, or that a longer path shows:\n  %s",
			strings.Join(slices.Sorted(maps.Keys(drawn.arrows)), "\n  "))
	}
}

// impliedBy reports whether one of the imported boxes imports to, directly or not.
func impliedBy(imports map[string][]string, imported []string, to string) bool {
	for _, by := range imported {
		if by != to && (slices.Contains(imports[by], to) || impliedBy(imports, imports[by], to)) {
			return true
		}
	}
	return false
}

var box = regexp.MustCompile(`^([a-z/]+)(?:\["([^"]+)"\])?$`)

// drawnPicture reads the page's flowchart. A box is named after its package, or has a
// text with the names of several.
func drawnPicture(t *testing.T) picture {
	t.Helper()
	_, chart, ok := strings.Cut(readFile(t, "docs/architecture.md"), "```mermaid\nflowchart TB\n")
	if !ok {
		t.Fatal("docs/architecture.md has no flowchart")
	}
	chart, _, _ = strings.Cut(chart, "```")
	drawn := picture{boxOf: map[string]string{}, layerOf: map[string]int{}, arrows: map[string]bool{}}
	layer := 0
	for line := range strings.Lines(chart) {
		line = strings.TrimSpace(line)
		switch found := box.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "subgraph "):
			layer++
		case line == "end":
		case strings.Contains(line, " --> "):
			drawn.arrows[line] = true
		case found == nil:
			t.Fatalf("the flowchart has a line that the test cannot read: %s", line)
		default:
			drawn.layerOf[found[1]] = layer
			names := found[2]
			if names == "" {
				names = found[1]
			}
			for _, name := range strings.Fields(names) {
				drawn.boxOf[name] = found[1]
			}
		}
	}
	return drawn
}

// binaryImports are the imports among cmd and internal of the packages that the binary
// is built from.
func binaryImports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports", "./cmd/clientintel")
	list.Dir = root
	text, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	imports := map[string][]string{}
	packages := json.NewDecoder(strings.NewReader(string(text)))
	for packages.More() {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := packages.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name, ours := shortName(p.ImportPath)
		if !ours {
			continue
		}
		imports[name] = []string{}
		for _, path := range p.Imports {
			if to, ours := shortName(path); ours {
				imports[name] = append(imports[name], to)
			}
		}
	}
	return imports
}

// shortName is a package's name in the picture, which leaves out what is generated and
// embedded.
func shortName(path string) (name string, ours bool) {
	path, ours = strings.CutPrefix(path, module)
	name, isInternal := strings.CutPrefix(path, "internal/")
	return name, ours && (isInternal || strings.HasPrefix(path, "cmd/"))
}
