package config

import (
	"regexp"
	"slices"
	"strings"
)

// otherVariables are read elsewhere: by commands, and by builds for tests and
// benchmarks.
var otherVariables = regexp.MustCompile(`^CLIENTINTEL_(CONFORMANCE_KEYS|COVER_DIR|TEST(ING)?_\w+|BENCHMARK_\w+)$`)

// Unknown is a variable that is named like a setting and is none.
type Unknown struct {
	Variable string
	// Nearest is the setting that may be meant; empty: none is near.
	Nearest string
}

// UnknownVariables finds misspelled settings in an environment of NAME=VALUE. It leaves
// out the variables that Kubernetes sets in every container for a service called
// clientintel or clientintel-something.
func UnknownVariables(environ []string) []Unknown {
	var names []string
	services := []string{"CLIENTINTEL"}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "CLIENTINTEL_") {
			names = append(names, name)
		}
		if service, found := strings.CutSuffix(name, "_SERVICE_HOST"); found {
			services = append(services, service)
		}
	}
	slices.Sort(names)
	var unknown []Unknown
	for _, name := range names {
		if otherVariables.MatchString(name) || slices.ContainsFunc(services, func(s string) bool { return ofService(name, s) }) {
			continue
		}
		u := Unknown{Variable: name}
		best := len(name) / 6
		for _, f := range Fields(&Settings{}) {
			if d := distance(name, f.Variable); d <= best {
				u.Nearest, best = f.Variable, d-1
			}
		}
		if u.Nearest != name { // it is no setting
			unknown = append(unknown, u)
		}
	}
	return unknown
}

var injected = regexp.MustCompile(`^_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

func ofService(name, service string) bool {
	rest, found := strings.CutPrefix(name, service)
	return found && injected.MatchString(rest)
}

// distance counts the letters to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
