package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGoals_NumbersAndOrder(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, g := range goals() {
		if seen[g.key] {
			t.Errorf("%s stands there twice", g.key)
		}
		seen[g.key] = true
		if !g.hasNoVerdict && !g.isExact && g.moreIsBetter != (g.aim > g.threshold) {
			t.Errorf("%s: its goal %g is easier than its threshold %g", g.key, g.aim, g.threshold)
		}
	}
	for key, want := range map[string]string{
		"1": "1", "2b": "2", "4": "4", "4b": "4b", "12_with_search": "12", "13_enforce": "13", "15a": "15",
	} {
		if got := (goal{key: key}).number(); got != want {
			t.Errorf("%s is of goal %s, want %s", key, got, want)
		}
	}
}

// The goals of the page's table have the titles that the benchmark prints.
func TestGoals_TitlesAreThePages(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{}
	for _, g := range goals() {
		titles[g.key] = g.measure()
	}
	named := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) < 7 { // goal, title, three runs, threshold, goal, verdict
			continue
		}
		key := strings.TrimPrefix(cells[0], "| ")
		if title, known := titles[key]; known {
			if named++; title != cells[1] {
				t.Errorf("the page calls goal %s %q, the benchmark %q", key, cells[1], title)
			}
		}
	}
	if named < 20 {
		t.Errorf("only %d rows of the page are of goals", named)
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	more, less := goal{moreIsBetter: true, threshold: 0.4, aim: 0.6}, goal{threshold: 800, aim: 550}
	exact, unjudged := goal{isExact: true, threshold: 600, aim: 600}, goal{hasNoVerdict: true}
	for _, c := range []struct {
		goal  goal
		value float64
		want  string
	}{
		{more, 0.6, "pass"}, {more, 0.59, "near"}, {more, 0.4, "near"}, {more, 0.39, "MISS"},
		{less, 550, "pass"}, {less, 551, "near"}, {less, 800, "near"}, {less, 801, "MISS"},
		{exact, 600, "pass"}, {exact, 601, "MISS"}, {exact, 599, "MISS"}, {unjudged, 7, "info"},
	} {
		if got := c.goal.verdict(c.value); got != c.want {
			t.Errorf("%g under %+v: %s, want %s", c.value, c.goal, got, c.want)
		}
	}
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	o, err := parseOptions([]string{"-scale", "full", "-only", "1,4b", "-rounds", "7"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if !o.wants("1") || !o.wants("4b") || o.wants("4") || o.wants("2", "3") || !o.wants("2", "1") {
		t.Errorf("of 1,4b the wanted are %v", o.only)
	}
	if part, err := parseOptions([]string{"-only", "2b,16_8"}, io.Discard); err != nil || !part.wants("2b") || part.wants("2a") || !part.wants("16") || part.wants("16_1") {
		t.Errorf("of 2b,16_8 the wanted are %v (%v)", part.only, err)
	}
	if o.rounds != 7 || o.duration != o.scale.duration || o.scale.large != 1_000_000 {
		t.Errorf("the options are %+v", o)
	}
	if o, err = parseOptions(nil, io.Discard); err != nil || !o.wants("9") || o.rounds != 5 || o.scale.name != "small" {
		t.Errorf("by default the options are %+v (%v)", o, err)
	}
	o, err = parseOptions([]string{"-against", "small=,A=1,B=2", "-against", "old=bin/old"}, io.Discard)
	if err != nil || len(o.against) != 2 || o.against[0].binary != "" || !slices.Equal(o.against[0].settings, []string{"A=1", "B=2"}) ||
		o.against[1].name != "old" || o.against[1].binary != "bin/old" {
		t.Errorf("the others are %+v (%v)", o.against, err)
	}
	for _, args := range [][]string{
		{"-scale", "vast"}, {"-only", "25"}, {"-only", "2c"}, {"-rounds", "-1"}, {"-duration", "1ms"}, {"stray"},
		{"-against", "unnamed"}, {"-against", "=path"},
	} {
		if _, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("%v were taken", args)
		}
	}
}

func TestReport_TableAndJSON(t *testing.T) {
	t.Parallel()
	r := report{rows: map[string]*row{}}
	ours, theirs := ofRates("server", 100, 120), ofRates("baseline server", 50, 40)
	r.set("2a", ours.ratioTo(theirs, rate), ours, theirs)
	r.set("14", ratio{600, 600, 600}).note = "all of them"
	var out bytes.Buffer
	o := options{only: map[string]bool{"2": true, "14": true}}
	if err := r.print(&out, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2a ", "2.50", "2 to 3", ">= 2", "near", "baseline server", "45", "= 600", "all of them"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table does not hold %q:\n%s", want, out.String())
		}
	}
	path := filepath.Join(t.TempDir(), "values.json")
	if err := r.writeJSON(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values struct{ Goals map[string]float64 }
	if err := json.Unmarshal(text, &values); err != nil || len(values.Goals) != 2 || values.Goals["14"] != 600 {
		t.Errorf("the file holds %s (%v)", text, err)
	}
	if err := r.missing(o); err == nil || !strings.HasSuffix(err.Error(), " 2b") {
		t.Errorf("missing: %v, want 2b alone", err)
	}
}
