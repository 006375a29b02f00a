package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
)

// Every parameter of the product's query is a variable or an expression, and
// nothing else looks like a variable to pgbench.
func TestScript_OfTheProductsPage(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c := &client{
		id:        uuid.MustParse("11111111-1111-4111-8111-111111111111"),
		positions: []position{{CreatedAt: at}, {CreatedAt: at.AddDate(0, -1, 0)}},
	}
	text, definitions := pageScript(c, 50, true).text(0)
	if strings.Contains(text, "$") || strings.Contains(text, "-- name") || !strings.HasSuffix(text, ";\n") {
		t.Errorf("the script is\n%s", text)
	}
	if !strings.HasPrefix(text, "\\set us random(1769904000000000, 1772323200000000)\n") ||
		strings.Count(text, "(to_timestamp(:us / 1000000.0))::timestamptz") != strings.Count(db.ListInterviews, "$5::timestamptz") {
		t.Errorf("the script's place is not where the query has it:\n%s", text)
	}
	for _, want := range []string{"11111111-1111-4111-8111-111111111111", "=true", "=false", "=51"} {
		if !slices.ContainsFunc(definitions, func(d string) bool { return strings.HasSuffix(d, want) }) {
			t.Errorf("no definition ends with %s: %v", want, definitions)
		}
	}
	for i, d := range definitions {
		name, _, _ := strings.Cut(strings.TrimPrefix(d, "--define="), "=")
		if !strings.Contains(text, ":"+name) {
			t.Errorf("definition %d, %s, is used nowhere", i, d)
		}
	}
}

func TestScript_NothingIsAnExpression(t *testing.T) {
	t.Parallel()
	text, definitions := script{
		query: "-- name: X :many\nSELECT $1::text, $2::bigint;",
		variables: arguments(struct {
			A string
			B *int64
		}{A: "a"}, nil),
	}.text(0)
	if text != "SELECT :p1::text, (NULL)::bigint;\n" || !slices.Equal(definitions, []string{"--define=p1=a"}) {
		t.Errorf("the script is %q with %v", text, definitions)
	}
}

func TestParsePgbench(t *testing.T) {
	t.Parallel()
	out := `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: page.sql
scaling factor: 1
number of clients: 8
maximum number of tries: 1
duration: 2 s
number of transactions actually processed: 1234
number of failed transactions: 0 (0.000%)
latency average = 1.625 ms
initial connection time = 12.345 ms
tps = 4922.5 (without initial connection time)
`
	got, err := parsePgbench(out)
	if want := (sample{requests: 1234, rate: 4922.5, mean: 1625 * time.Microsecond}); err != nil || got != want {
		t.Errorf("read as %+v (%v), want %+v", got, err, want)
	}
	for _, line := range []string{"number of transactions actually processed: 1234", "latency average = 1.625 ms", "tps = 4922.5"} {
		if got, err := parsePgbench(strings.Replace(out, line, "", 1)); err == nil {
			t.Errorf("without %q it is read as %+v", line, got)
		}
	}
	nothing := strings.Replace(strings.Replace(out, ": 1234", ": 0", 1), "latency average = 1.625 ms\n", "", 1)
	if got, err := parsePgbench(nothing); !errors.Is(err, errRanNothing) {
		t.Errorf("nothing at all is read as %+v (%v)", got, err)
	}
}
