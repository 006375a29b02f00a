package postgres_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// These cannot name their client, each for its reason.
var withoutClient = map[string]string{
	"KeepRequestLog":  "drops whole days of every client's log",
	"FindKey":         "the operator names a key, whose client is the answer",
	"RevokeKey":       "the operator names a key",
	"GetServerSecret": "belongs to the service, not to a client",
	"FindClient":      "finds the client itself",
	"GetMeasurement":  "the client's row is found by its own id",
}

var queryName = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)

// Every query of a reader is led by its client: @client_id must bind it.
func TestQueries_AreLedByTheirClient(t *testing.T) {
	files, err := filepath.Glob("../../sql/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		marks := queryName.FindAllStringSubmatchIndex(string(text), -1)
		for i, m := range marks {
			name := string(text[m[2]:m[3]])
			end := len(text)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			seen[name] = true
			bound := strings.Contains(string(text[m[1]:end]), "client_id")
			if _, excused := withoutClient[name]; !bound && !excused {
				t.Errorf("%s: %s does not mention client_id", filepath.Base(file), name)
			}
		}
	}
	for name := range withoutClient {
		if !seen[name] {
			t.Errorf("%s is excused and does not exist", name)
		}
	}
}
