package config

import (
	"maps"
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

func (u Unknown) String() string {
	if u.Nearest == "" {
		return "no setting is called " + u.Variable
	}
	return "no setting is called " + u.Variable + ": is " + u.Nearest + " meant?"
}

// UnknownVariables finds misspelled settings in an environment of NAME=VALUE: variables
// that begin like ours, and any that is nearly the name of a setting that is not set. It
// leaves out the variables that Kubernetes sets in every container for a service called
// clientintel or clientintel-something.
func UnknownVariables(environ []string) []Unknown {
	set := map[string]bool{}
	services := []string{"CLIENTINTEL"}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		set[name] = true
		if service, found := strings.CutSuffix(name, "_SERVICE_HOST"); found {
			services = append(services, service)
		}
	}
	var unknown []Unknown
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if otherVariables.MatchString(name) || slices.ContainsFunc(services, func(s string) bool { return ofService(name, s) }) {
			continue
		}
		nearest := nearestSetting(name)
		ours := strings.HasPrefix(name, "CLIENTINTEL_")
		if nearest != name && (ours || nearest != "" && !set[nearest]) {
			unknown = append(unknown, Unknown{name, nearest})
		}
	}
	return unknown
}

// nearestSetting is the setting that a name is, or may be meant for; empty: none is near.
func nearestSetting(name string) string {
	nearest, best := "", len(name)/6
	for _, f := range Fields(&Settings{}) {
		if name == f.Variable {
			return name
		}
		if d := distance(strings.ToUpper(name), f.Variable); d <= best {
			nearest, best = f.Variable, d-1
		}
	}
	return nearest
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
