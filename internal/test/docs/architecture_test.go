package docs_test

import (
	"encoding/json"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/clientintel/clientintel/"

// picture is what the page draws: the packages of each layer, from the highest
// layer down, and the arrows.
type picture struct {
	layerOf map[string]int
	arrows  map[string]bool
}

// TestArchitecture_PictureEqualsTheImports: the picture shows every package that
// the binary is built from, in layers that import downwards, and every import
// that no longer path of arrows implies.
func TestArchitecture_PictureEqualsTheImports(t *testing.T) {
	t.Parallel()
	drawn := drawnPicture(t)
	imports := binaryImports(t)
	for name := range imports {
		if _, ok := drawn.layerOf[name]; !ok {
			t.Errorf("the picture lacks the package %s", name)
		}
	}
	for name := range drawn.layerOf {
		if _, ok := imports[name]; !ok {
			t.Errorf("the picture shows %s, which the binary does not contain", name)
		}
	}
	var missing []string
	for from, imported := range imports {
		for _, to := range imported {
			if drawn.layerOf[to] < drawn.layerOf[from] {
				t.Errorf("%s imports %s, which the picture shows in a higher layer", from, to)
			}
			arrow := from + " --> " + to
			if impliedBy(imports, imported, to) {
				continue
			}
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
		t.Errorf("the picture shows arrows that are no import, or that a longer path implies:\n  %s",
			strings.Join(slices.Sorted(maps.Keys(drawn.arrows)), "\n  "))
	}
}

// impliedBy reports whether one of the imported packages imports to, directly or not.
func impliedBy(imports map[string][]string, imported []string, to string) bool {
	for _, by := range imported {
		if by != to && (slices.Contains(imports[by], to) || impliedBy(imports, imports[by], to)) {
			return true
		}
	}
	return false
}

// drawnPicture reads the page's flowchart.
func drawnPicture(t *testing.T) picture {
	t.Helper()
	_, chart, ok := strings.Cut(readFile(t, "docs/architecture.md"), "```mermaid\nflowchart TB\n")
	if !ok {
		t.Fatal("docs/architecture.md has no flowchart")
	}
	chart, _, _ = strings.Cut(chart, "```")
	drawn := picture{layerOf: map[string]int{}, arrows: map[string]bool{}}
	layer, inLayer := 0, false
	for line := range strings.Lines(chart) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case strings.HasPrefix(line, "subgraph "):
			layer, inLayer = layer+1, true
		case line == "end":
			inLayer = false
		case inLayer:
			drawn.layerOf[line] = layer
		default:
			drawn.arrows[line] = true
		}
	}
	return drawn
}

// binaryImports are the imports of our packages that the binary is built from,
// by the names that the picture uses.
func binaryImports(t *testing.T) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./cmd/clientintel")
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
		if !strings.HasPrefix(p.ImportPath, module) {
			continue
		}
		imports[shortName(p.ImportPath)] = []string{}
		for _, path := range p.Imports {
			if strings.HasPrefix(path, module) {
				imports[shortName(p.ImportPath)] = append(imports[shortName(p.ImportPath)], shortName(path))
			}
		}
	}
	return imports
}

func shortName(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "internal/")
}
