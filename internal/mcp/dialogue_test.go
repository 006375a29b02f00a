package mcp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/textproto"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Whole conversations, as a client of each revision holds them: what is sent,
// then what must come back. «…» stands for anything, and as a member of an
// object or the last of a list, for any others.
func TestDialogues(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/dialogues/*.txtar")
	if err != nil || len(files) < len(revisions) {
		t.Fatalf("found %d dialogues (%v), want one a revision at least", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			hold(t, file)
		})
	}
}

func hold(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil || len(archive.Files) == 0 || len(archive.Files)%2 != 0 {
		t.Fatalf("reading %s: %d parts (%v)", file, len(archive.Files), err)
	}
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, "acme", apitest.Fields{
		"id": "b3a1f0c2-5d6e-4f70-8a91-c2d3e4f5a6b7", "slug": "winter-launch", "display_name": "Winter launch",
	})
	seed.Interview(t, "acme", apitest.Fields{"id": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "campaign_id": campaign})
	keys := map[string]string{
		"«full»":      srv.KeyFor(t, "acme"),
		"«default»":   srv.KeyFor(t, "acme", auth.Default()...),
		"«campaigns»": srv.KeyFor(t, "acme", auth.ReadCampaigns),
	}
	for i := 0; i < len(archive.Files); i += 2 {
		sent, answered := archive.Files[i], archive.Files[i+1]
		if sent.Name+" answer" != answered.Name {
			t.Fatalf("%s: %q is followed by %q", file, sent.Name, answered.Name)
		}
		_, header, body := parsePart(t, sent)
		key := header.Get("Authorization")
		header.Del("Authorization")
		answer := srv.Post(t, endpoint, keys[key], header, bytes.NewReader(body))
		for _, problem := range compare(t, answered, answer) {
			t.Errorf("%s: %s: %s", file, sent.Name, problem)
		}
	}
}

// parsePart reads a first line, headers and a body.
func parsePart(t *testing.T, f txtar.File) (first string, header http.Header, body []byte) {
	t.Helper()
	reader := bufio.NewReader(bytes.NewReader(f.Data))
	lines := textproto.NewReader(reader)
	first, err := lines.ReadLine()
	require.NoError(t, err, f.Name)
	mime, err := lines.ReadMIMEHeader()
	require.NoError(t, err, f.Name)
	var rest bytes.Buffer
	_, err = rest.ReadFrom(reader)
	require.NoError(t, err, f.Name)
	return first, http.Header(mime), bytes.TrimSpace(rest.Bytes())
}

func compare(t *testing.T, want txtar.File, got *apitest.Response) (problems []string) {
	t.Helper()
	status, header, body := parsePart(t, want)
	if status != strconv.Itoa(got.Status) {
		problems = append(problems, fmt.Sprintf("status %d, want %s; body %s", got.Status, status, got.Body))
	}
	for name, values := range header {
		there := got.Header.Get(name)
		if values[0] == "absent" && there == "" || values[0] == "…" && there != "" || values[0] == there {
			continue
		}
		problems = append(problems, fmt.Sprintf("%s is %q, want %s", name, there, values[0]))
	}
	if len(body) == 0 {
		if len(got.Body) != 0 {
			problems = append(problems, fmt.Sprintf("the body is %s, want none", got.Body))
		}
		return problems
	}
	var wanted, found any
	require.NoError(t, json.Unmarshal(body, &wanted), want.Name)
	if err := json.Unmarshal(got.Body, &found); err != nil {
		return append(problems, fmt.Sprintf("the body is no JSON: %s", got.Body))
	}
	if found = reduced(wanted, found); !reflect.DeepEqual(found, wanted) {
		problems = append(problems, fmt.Sprintf("got\n%v\nwant\n%v\nthe body is %s", found, wanted, got.Body))
	}
	return problems
}

const anything = "…"

// reduced is what was found, with … wherever that is wanted.
func reduced(want, found any) any {
	switch want := want.(type) {
	case string:
		if want == anything {
			return anything
		}
	case map[string]any:
		got, ok := found.(map[string]any)
		if !ok {
			return found
		}
		made := map[string]any{}
		for name, value := range got {
			if wanted, isWanted := want[name]; isWanted {
				made[name] = reduced(wanted, value)
			} else if want[anything] == nil {
				made[name] = value
			}
		}
		if value, isOpen := want[anything]; isOpen {
			made[anything] = value
		}
		return made
	case []any:
		got, ok := found.([]any)
		if !ok {
			return found
		}
		made := []any{}
		for i, value := range got {
			switch {
			case i < len(want) && want[i] != anything:
				made = append(made, reduced(want[i], value))
			case len(want) == 0 || want[len(want)-1] != anything:
				made = append(made, value)
			}
		}
		if len(want) > 0 && want[len(want)-1] == anything && len(made) == len(want)-1 {
			made = append(made, anything)
		}
		return made
	}
	return found
}
