package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// listed is a tool as tools/list shows it.
type listed struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Annotations  json.RawMessage `json:"annotations"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
}

func (a agent) tools(t *testing.T) []listed {
	t.Helper()
	s := a.ask(t, "tools/list", "", "")
	var list struct {
		Tools      []listed
		NextCursor *string
	}
	if err := json.Unmarshal(s.Result, &list); err != nil || list.NextCursor != nil {
		t.Fatalf("tools/list: next cursor %v (%v)", list.NextCursor, err)
	}
	return list.Tools
}

// A key sees the tools whose base scope it holds, in one order, and whatever it
// does not see is answered as what does not exist.
func TestTools_FollowScopes(t *testing.T) {
	t.Parallel()
	srv, _ := apitest.Start(t)
	of := map[auth.Scope][]string{
		auth.ReadInterviewsMetadata: {"get_interview_analytics", "list_interviews"},
		auth.ReadSynthesis:          {"get_synthesis_document"},
		auth.ReadCampaigns:          {"list_campaigns"},
		auth.ReadCustomExtraction:   {"search_customer_intelligence"},
	}
	sets := [][]auth.Scope{auth.All(), auth.Default(), {auth.ExportData}, {auth.ReadTranscripts, auth.ReadCustomerIdentity}}
	for scope := range of {
		sets = append(sets, []auth.Scope{scope}, []auth.Scope{scope, auth.ReadCampaigns})
	}
	for i, scopes := range sets {
		a := agent{srv, srv.KeyFor(t, "acme", scopes...), revisions[i%len(revisions)]}
		want := []string{}
		for _, scope := range scopes {
			want = append(want, of[scope]...)
		}
		slices.Sort(want)
		want = slices.Compact(want)
		got := []string{}
		for _, tool := range a.tools(t) {
			got = append(got, tool.Name)
		}
		check.Slices(t, got, want, "tools with", scopes)
		missing := a.refusal(t, "no_such_tool")
		for tool := range routes {
			if slices.Contains(want, tool) {
				continue
			}
			check.Equal(t, strings.ReplaceAll(a.refusal(t, tool), tool, "no_such_tool"), missing, scopes, tool)
		}
	}
}

// refusal is the whole answer to the call of a tool that is not there.
func (a agent) refusal(t *testing.T, tool string) string {
	t.Helper()
	answer := a.send(t, "tools/call", tool, fmt.Sprintf(`{"name":%q,"arguments":{"q":"x"}}`, tool))
	if !bytes.Contains(answer.Body, []byte(`"code":-32602`)) {
		t.Fatalf("%s: status %d, body %s; want error -32602", tool, answer.Status, answer.Body)
	}
	return fmt.Sprint(answer.Status, string(answer.Body))
}

// flagsOf are the arguments that are no parameters.
var flagsOf = map[string][]string{
	"get_interview_analytics": {"include_basis", "include_rows"}, "get_synthesis_document": {"include_basis"},
	"list_interviews": {"include_basis", "include_transcripts"}, "search_customer_intelligence": {"include_basis"},
}

// The schemas are the contract's: each parameter under its name with its
// bounds, each answer with everything that it refers to, and nothing else.
func TestTools_SchemasAreTheContracts(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	text := openapi.JSON()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	for _, client := range []string{"acme", "globex"} {
		seedEqual(t, seed, client)
	}
	for _, tool := range (agent{srv, srv.KeyFor(t, "acme"), "2026-07-28"}).tools(t) {
		if routes[tool.Name] == "" {
			t.Errorf("the tool %s is not known here: say in routes which route it asks", tool.Name)
			continue
		}
		operation := doc.Paths.Value(routes[tool.Name]).Get
		input := compile(t, tool.Name+" input", tool.InputSchema)
		if err := input.Validate(decode(t, []byte(`{"unheard_of":1}`))); err == nil {
			t.Errorf("%s: the input schema takes an unknown argument", tool.Name)
		}
		var schema struct {
			Properties map[string]struct {
				Type, Description string
				Default           json.RawMessage
			}
			Required []string
		}
		require.NoError(t, json.Unmarshal(tool.InputSchema, &schema))
		for _, flag := range flagsOf[tool.Name] {
			if got := schema.Properties[flag]; got.Type != "boolean" || string(got.Default) != strconv.FormatBool(flag == "include_transcripts") {
				t.Errorf("%s: %s is %+v", tool.Name, flag, got)
			}
		}
		if want := len(operation.Parameters) + len(flagsOf[tool.Name]); len(schema.Properties) != want {
			t.Errorf("%s: takes %d arguments, want %d", tool.Name, len(schema.Properties), want)
		}
		for _, ref := range operation.Parameters {
			got := schema.Properties[ref.Value.Name]
			if got.Description == "" || !ref.Value.Schema.Value.Type.Is(got.Type) || string(got.Default) == "null" ||
				slices.Contains(schema.Required, ref.Value.Name) != ref.Value.Required {
				t.Errorf("%s: %s is %+v, required: %v", tool.Name, ref.Value.Name, got, schema.Required)
			}
		}
		output := compile(t, tool.Name+" output", tool.OutputSchema)
		for _, client := range []string{"acme", "globex"} {
			a := agent{srv, srv.KeyFor(t, client), "2026-07-28"}
			answer := a.call(t, tool.Name, map[bool]string{true: `{"q":"late"}`, false: `{}`}[tool.Name == "search_customer_intelligence"])
			if answer.IsError {
				t.Fatalf("%s of %s: %s", tool.Name, client, answer.Content[0].Text)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.StructuredContent))
			require.NoError(t, err)
			check.NoError(t, output.Validate(value), tool.Name, client)
		}
		if err := output.Validate(map[string]any{"error": "no"}); err == nil {
			t.Errorf("%s: the output schema takes anything", tool.Name)
		}
	}
}

// compile reads a schema with another reader than our own, alone as agents do.
func compile(t *testing.T, name string, text json.RawMessage) *jsonschema.Schema {
	t.Helper()
	if bytes.Contains(text, []byte("#/components")) {
		t.Errorf("%s refers to what is not in it", name)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, name)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	require.NoError(t, compiler.AddResource("schema.json", document), name)
	schema, err := compiler.Compile("schema.json")
	require.NoError(t, err, name)
	return schema
}
