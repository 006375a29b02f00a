package apidocs_test

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/openapi"
)

type contract struct {
	Paths map[string]map[string]struct {
		OperationID string
		Summary     string
		Parameters  []map[string]any
		Responses   map[string]any
	}
	Components struct {
		Schemas map[string]struct{ Properties map[string]any }
	}
}

func page(t *testing.T, path string) string {
	t.Helper()
	files, err := apidocs.Files("")
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// The page is the contract laid out: every operation, every status it declares,
// every property of every schema.
func TestReference_LeavesNothingOut(t *testing.T) {
	t.Parallel()
	c, overview, shown := written(t), page(t, "/docs"), ""
	articles := map[string]string{}
	for _, item := range c.Paths {
		for _, o := range item {
			articles[o.OperationID] = page(t, "/docs/"+o.OperationID)
			shown += articles[o.OperationID]
			if !strings.Contains(overview, `href="docs/`+o.OperationID+`"`) {
				t.Errorf("the overview does not link to %s", o.OperationID)
			}
		}
	}
	operations := 0
	for path, item := range c.Paths {
		for method, o := range item {
			operations++
			article := articles[o.OperationID]
			for _, want := range []string{
				html.EscapeString(o.Summary), "<code>" + path + "</code>", `<span class="method">` + strings.ToUpper(method) + "</span>",
			} {
				if !strings.Contains(article, want) {
					t.Errorf("%s lacks %s", o.OperationID, want)
				}
			}
			if got := strings.Count(article, "data-parameter="); got != len(o.Parameters) {
				t.Errorf("%s shows %d parameters, want %d", o.OperationID, got, len(o.Parameters))
			}
			for status := range o.Responses {
				if !strings.Contains(article, fmt.Sprintf("data-status=%q", status)) {
					t.Errorf("%s lacks the answer %s", o.OperationID, status)
				}
			}
		}
	}
	if len(articles) != operations || operations == 0 {
		t.Errorf("shows %d operations, want %d", len(articles), operations)
	}
	for name, schema := range c.Components.Schemas {
		for property := range schema.Properties {
			if !strings.Contains(shown, `<code class="name">`+property+"</code>") {
				t.Errorf("%s.%s is not shown", name, property)
			}
		}
	}
}
