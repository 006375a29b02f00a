package apidocs_test

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

type contract struct {
	Paths map[string]map[string]struct {
		OperationID string
		Summary     string
		Parameters  []map[string]any
		Responses   map[string]map[string]any
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

func page(t *testing.T, path string) string {
	t.Helper()
	files, err := apidocs.Files("")
	require.NoError(t, err)
	for _, f := range files {
		if f.Path == path {
			return string(f.Body)
		}
	}
	t.Fatalf("there is no %s", path)
	return ""
}

func written(t *testing.T) contract {
	t.Helper()
	text := openapi.JSON()
	var c contract
	require.NoError(t, json.Unmarshal(text, &c))
	return c
}

// The pages are the contract laid out: every operation with its parameters and errors, every
// property of every schema, and each object on a page of its own with an example.
func TestReference_LeavesNothingOut(t *testing.T) {
	t.Parallel()
	c, overview, shown := written(t), page(t, "/docs"), page(t, "/docs/errors")
	operations := 0
	for path, item := range c.Paths {
		for method, o := range item {
			operations++
			article := page(t, "/docs/"+o.OperationID)
			shown += article
			wants := []string{html.EscapeString(o.Summary), "<code>" + path + "</code>", `<span class="method">` + strings.ToUpper(method) + "</span>"}
			for status, response := range o.Responses {
				if status != "200" && status != "default" && len(response) > 0 {
					wants = append(wants, fmt.Sprintf("data-status=%q", status))
				}
			}
			for _, want := range wants {
				check.Contains(t, article, want, o.OperationID)
			}
			check.Equal(t, strings.Count(article, "data-name="), len(o.Parameters), o.OperationID)
			check.Contains(t, overview, `href="docs/`+o.OperationID+`"`, "the overview does not link to", o.OperationID)
		}
	}
	if operations == 0 {
		t.Error("there are no operations")
	}
	for name, schema := range c.Components.Schemas {
		object := ""
		if schema.Properties != nil && (!strings.HasSuffix(name, "Response") || name == "ErrorResponse") {
			object = page(t, "/docs/"+name)
			check.Contains(t, object, "<pre", "the example of", name)
		}
		for property := range schema.Properties {
			check.Contains(t, shown+object, `<code class="name">`+property+"</code>", name, property)
		}
	}
}

func TestReference_TypesAreInPlainWords(t *testing.T) {
	t.Parallel()
	shown := page(t, "/docs/listInterviews") + page(t, "/docs/listSynthesis") + page(t, "/docs/Meta") + page(t, "/docs/MeasurementFreshness")
	for _, want := range []string{
		`<code class="name">data</code> <span class="type">array of <a href="Interview">Interview</a></span> <span class="required">required</span>`,
		`<code class="name">conversation_goal_id</code> <span class="type">uuid or null</span>`,
		`<code class="name">reason</code> <span class="type">string or null</span>`,
		`<code class="name">data</code> <span class="type">array of <a href="SynthesisDocumentRow">SynthesisDocumentRow</a> or <a href="PublishedSynthesisBody">PublishedSynthesisBody</a></span>`,
		`<li>at most 200</li>`, `<li>one of legacy, canonical</li>`,
	} {
		check.Contains(t, shown, want)
	}
}

// The search library is the file of the package that package-lock.json names.
func TestSearch_LibraryIsTheOneThatWasPinned(t *testing.T) {
	t.Parallel()
	var pinned struct{ Embedded map[string]string }
	text, err := os.ReadFile("package.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &pinned))
	for name, want := range pinned.Embedded {
		sum := sha512.Sum384([]byte(page(t, "/docs/"+name)))
		check.Equal(t, "sha384-"+base64.StdEncoding.EncodeToString(sum[:]), want, name)
	}
	if len(pinned.Embedded) == 0 {
		t.Error("nothing is pinned")
	}
}
