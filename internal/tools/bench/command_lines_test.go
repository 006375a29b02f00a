package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// documentedCommandLines are those of the guide that measure.
func documentedCommandLines(t *testing.T) [][]string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	var all [][]string
	for line := range strings.Lines(string(page)) {
		command, _, _ := strings.Cut(line, "#")
		if words := strings.Fields(command); len(words) > 1 && words[0] == "make" && strings.HasPrefix(words[1], "bench") {
			all = append(all, words)
		}
	}
	if len(all) < 4 {
		t.Fatalf("the guide has the command lines %v, fewer than it had", all)
	}
	return all
}

// flagsOf are the flags that make passes to the benchmark.
func flagsOf(t *testing.T, line []string) []string {
	t.Helper()
	cmd := exec.Command(line[0], append([]string{"-C", "../../..", "--dry-run", "--no-print-directory"}, line[1:]...)...)
	cmd.Env = append(environment(), "MAKEFLAGS=")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", line, err)
	}
	_, flags, found := strings.Cut(strings.ReplaceAll(string(out), "\\\n", " "), "./internal/tools/bench ")
	if !found {
		t.Fatalf("%v does not run the benchmark: %s", line, out)
	}
	return strings.Fields(flags)
}

// The guide's durations hold: make passes what its caller gives, and no default of
// another command.
func TestDocumentedCommandLines_AreParsed(t *testing.T) {
	t.Parallel()
	for _, line := range documentedCommandLines(t) {
		given := map[string]string{}
		for _, word := range line[2:] {
			name, value, _ := strings.Cut(word, "=")
			given[name] = value
		}
		o, err := parseOptions(flagsOf(t, line), os.Stderr)
		if err != nil {
			t.Errorf("%v: %v", line, err)
			continue
		}
		if _, set := given["DURATION"]; !set && o.duration != o.scale.duration {
			t.Errorf("%v measures %s a workload, want its scale's %s", line, o.duration, o.scale.duration)
		}
		if scale := given["SCALE"]; scale != "" && o.scale.name != scale || o.data != given["DATA"] || o.json != given["JSON"] {
			t.Errorf("%v is understood as %+v", line, o)
		}
	}
}

// Each of the guide's command lines runs, in its smallest form: the tiny corpus, one
// round, and of its goals the last one.
func TestDocumentedCommandLines_Run(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads a database")
	}
	self := t.TempDir() + "/bench"
	if out, err := exec.Command("go", "build", "-o", self, ".").CombinedOutput(); err != nil {
		t.Fatalf("building: %v: %s", err, out)
	}
	// A PostgreSQL started by root runs as another user, which a test's own directory refuses.
	data, err := os.MkdirTemp("", "clientintel-bench-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	if err := os.Chmod(data, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, line := range documentedCommandLines(t) {
		smallest := map[string]string{"-scale": "tiny", "-data": data + "/data", "-rounds": "1", "-duration": "100ms", "-exact-duration": "1s"}
		flags := flagsOf(t, line)
		o, err := parseOptions(flags, os.Stderr)
		if err != nil {
			t.Fatal(err)
		}
		smallest["-only"] = "14"
		if _, asked, some := strings.Cut(strings.Join(flags, " "), "-only "); some {
			asked, _, _ = strings.Cut(asked, " ")
			smallest["-only"] = asked[strings.LastIndex(asked, ",")+1:]
		}
		if o.json != "" {
			smallest["-json"] = t.TempDir() + "/values.json"
		}
		for name, value := range smallest {
			flags = append(flags, name, value)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, self, flags...)
		var out, progress bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = "../../..", &out, &progress
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v\n%s%s", line, err, out.String(), progress.String())
		}
		if !strings.Contains(out.String(), "scale tiny, medians of 1 rounds of 100ms") {
			t.Errorf("%v prints\n%s", line, out.String())
		}
	}
}
