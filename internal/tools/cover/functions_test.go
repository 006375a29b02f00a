package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/cover"
)

func TestExecutions_AFunctionCountsOnceAnyOfItsBlocksRan(t *testing.T) {
	t.Chdir(t.TempDir())
	const source = `package p

func ran() int { return 1 }

func (c *Codec) Skipped() { println() }

func (v List[T]) Half() {
	if v == nil {
		println()
	}
}

func empty() {}
`
	if err := os.MkdirAll("internal/p", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.FromSlash("internal/p/p.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := executions([]*cover.Profile{{FileName: module + "/internal/p/p.go", Blocks: []cover.ProfileBlock{
		{StartLine: 3, StartCol: 16, EndLine: 3, EndCol: 28, Count: 2},
		{StartLine: 5, StartCol: 27, EndLine: 5, EndCol: 40},
		{StartLine: 7, StartCol: 25, EndLine: 8, EndCol: 14, Count: 1},
		{StartLine: 8, StartCol: 14, EndLine: 10, EndCol: 3},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"internal/p.ran": true, "internal/p.(*Codec).Skipped": false, "internal/p.List.Half": true}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReport_NamesWhatNoTestExecutesAndWhatIsListedWrongly(t *testing.T) {
	var out bytes.Buffer
	err := report(map[string]bool{"a.F": false, "a.G": true, "a.H": false, "a.I": true},
		map[string]string{"a.G": "was hard to reach", "a.H": "waits for a power cut", "a.Gone": "was removed"}, &out)
	if err == nil {
		t.Error("no error")
	}
	want := "a.F: no test executes it\na.G: executed now; take it out of allowed.yaml\na.Gone: no such function; take it out of allowed.yaml\n"
	if out.String() != want {
		t.Errorf("got:\n%swant:\n%s", out.String(), want)
	}
	if err := report(map[string]bool{"a.H": false}, map[string]string{"a.H": "waits for a power cut"}, &out); err != nil {
		t.Error(err)
	}
}
