package openapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"go.yaml.in/yaml/v3"
)

// Readers copy from examples, so each one is held against its schema.
func TestExamples_EveryResponseHasOneAndAllAreValid(t *testing.T) {
	t.Parallel()
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if status == "304" {
			if len(response.Content) != 0 {
				t.Errorf("%s 304 has a body", op)
			}
			return
		}
		media := response.Content["application/json"]
		if media == nil || len(response.Content) != 1 || len(media.Examples) == 0 {
			t.Errorf("%s %s: wants JSON with an example", op, status)
			return
		}
		for name, example := range media.Examples {
			if err := check(media.Schema.Value, example.Value.Value); err != nil {
				t.Errorf("%s %s, example %s: %v", op, status, name, err)
			}
		}
		for name, header := range response.Headers {
			if err := check(header.Value.Schema.Value, header.Value.Example); err != nil {
				t.Errorf("%s %s, example of %s: %v", op, status, name, err)
			}
		}
	})
}

func TestExamples_EveryParameterHasOneAndAllAreValid(t *testing.T) {
	t.Parallel()
	eachOperation(load(t), func(_, _ string, op *openapi3.Operation) {
		for _, p := range op.Parameters {
			var values []any
			if p.Value.Example != nil {
				values = append(values, p.Value.Example)
			}
			for _, example := range p.Value.Examples {
				values = append(values, example.Value.Value)
			}
			if len(values) == 0 {
				t.Errorf("%s: parameter %s has no example", op.OperationID, p.Value.Name)
			}
			for _, value := range values {
				if err := check(p.Value.Schema.Value, value); err != nil {
					t.Errorf("%s: example of %s: %v", op.OperationID, p.Value.Name, err)
				}
			}
		}
	})
}

// A property that holds other properties, or a list of such, is shown by theirs.
func TestExamples_EveryPropertyHasOneAndAllAreValid(t *testing.T) {
	t.Parallel()
	// Read apart from the validator's document, which drops what stands beside a $ref.
	type object struct {
		Properties map[string]struct{ Examples []any }
		AllOf      []object `yaml:"allOf"`
	}
	var source struct {
		Components struct{ Schemas map[string]object }
	}
	if err := yaml.Unmarshal(written(t), &source); err != nil {
		t.Fatal(err)
	}
	shown := 0
	var visit func(at string, read object, schema *openapi3.Schema)
	visit = func(at string, read object, schema *openapi3.Schema) {
		for i, part := range schema.AllOf {
			visit(at, read.AllOf[i], part.Value)
		}
		for name, property := range schema.Properties {
			examples := read.Properties[name].Examples
			if len(examples) == 0 && len(read.Properties) > 0 && !holdsProperties(property) {
				t.Errorf("%s.%s has no example", at, name)
			}
			for _, example := range examples {
				shown++
				if err := check(property.Value, asJSON(t, example)); err != nil {
					t.Errorf("%s.%s, example: %v", at, name, err)
				}
			}
		}
	}
	for name, schema := range load(t).Components.Schemas {
		visit(name, source.Components.Schemas[name], schema.Value)
	}
	if shown < 100 {
		t.Errorf("found %d examples", shown)
	}
}

func asJSON(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return again
}

func holdsProperties(ref *openapi3.SchemaRef) bool {
	if ref.Value.Items != nil {
		ref = ref.Value.Items
	}
	return len(ref.Value.Properties)+len(ref.Value.OneOf)+len(ref.Value.AllOf) > 0 || strings.HasSuffix(ref.Ref, "/FreeFormObject")
}

// Every code of an operation is shown where it can occur, under its own name.
func TestExamples_ErrorsShowTheirCodes(t *testing.T) {
	t.Parallel()
	badRequest := map[string][]string{
		"listInterviews": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "unknown_parameter", "updated_since_unsupported",
		},
		"getInterview": {"invalid_parameter", "unknown_parameter"},
		"listCampaigns": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "invalid_updated_since", "unknown_parameter",
		},
		"listSynthesis": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "invalid_updated_since", "unknown_parameter",
			"unsupported_parameter",
		},
		"getInterviewAnalytics": {"invalid_date_range", "invalid_parameter", "unknown_parameter"},
		"searchIntelligence":    {"invalid_parameter", "unknown_parameter"},
	}
	others := map[string][]string{
		"401": {"expired_api_key", "inactive_api_key", "invalid_api_key", "missing_api_key"},
		"403": {"insufficient_scope"},
		"404": {"not_found"},
		"429": {"rate_limited"},
		"503": {"measurement_unavailable", "service_unavailable"},

		"default": {"internal_error", "method_not_allowed", "payload_too_large"},
	}
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if status < "400" {
			return
		}
		want := others[status]
		if status == "400" {
			want = badRequest[op]
		}
		var got []string
		for name, example := range response.Content["application/json"].Examples {
			body := example.Value.Value.(map[string]any)
			code := body["code"].(string)
			got = append(got, code)
			if !strings.HasPrefix(name, code) {
				t.Errorf("%s %s: the example %s shows %s", op, status, name, code)
			}
			if status == "400" && body["details"] == nil {
				t.Errorf("%s %s: the example %s has no details", op, status, name)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s %s: examples show %v, want %v", op, status, got, want)
		}
	})
}

// A reader who recomputes the hash of an example must arrive at it.
func TestExamples_BasesAreTrue(t *testing.T) {
	t.Parallel()
	seen := 0
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				visit(at, item)
			}
		case map[string]any:
			for _, item := range value {
				visit(at, item)
			}
			list, isBasis := value["source_interview_ids"].([]any)
			if !isBasis {
				return
			}
			seen++
			var ids []string
			for _, id := range list {
				ids = append(ids, id.(string))
			}
			if !slices.IsSorted(ids) || value["source_count"] != float64(len(ids)) {
				t.Errorf("%s: ids out of order or miscounted", at)
			}
			hash := sha256.Sum256([]byte(strings.Join(ids, "\n")))
			if want := hex.EncodeToString(hash[:]); value["membership_hash"] != want {
				t.Errorf("%s: membership_hash is %v, want %s", at, value["membership_hash"], want)
			}
		}
	}
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if media := response.Content["application/json"]; media != nil {
			for name, example := range media.Examples {
				visit(op+" "+status+" "+name, example.Value.Value)
			}
		}
	})
	if seen < 4 {
		t.Errorf("found %d bases, want those of list, detail, analytics and portal", seen)
	}
}

// No value is both a row and a body, and a document that is not published is
// neither.
func TestSynthesisItem_TellsRowsFromBodies(t *testing.T) {
	t.Parallel()
	item := load(t).Components.Schemas["SynthesisItem"].Value
	row := `{
		"id": "11111111-1111-1111-1111-111111111111", "client_id": "22222222-2222-2222-2222-222222222222",
		"synthesis_type": "lane", "document": {}, "contract_version": "v1", "status": "published",
		"created_at": "2026-03-04T06:00:00Z", "updated_at": "2026-03-04T06:00:00Z"
	}`
	cases := map[string]struct {
		text  string
		valid bool
	}{
		"a row":                       {row, true},
		"a draft":                     {strings.Replace(row, "published", "draft", 1), false},
		"a row with another field":    {strings.Replace(row, `"document"`, `"secret": 1, "document"`, 1), false},
		"a row with a bad id":         {strings.Replace(row, "11111111-", "1-", 1), false},
		"a body":                      {`{"schema": "home.v1", "anything": [1, null]}`, true},
		"a body without a schema":     {`{"headline": "none"}`, false},
		"a body of an empty schema":   {`{"schema": ""}`, false},
		"a row with a schema":         {strings.Replace(row, "{", `{"schema": "lane.v1",`, 1), true}, // a body, then
		"a body that cannot be shown": {`{"schema": "home.v1", "measurement_integrity": {"status": "historical_unverifiable"}}`, true},
		"a body of unknown integrity": {`{"schema": "home.v1", "measurement_integrity": {"status": "fine"}}`, false},
		"no object":                   {`[]`, false},
	}
	for name, c := range cases {
		var value any
		if err := json.Unmarshal([]byte(c.text), &value); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := check(item, value); (err == nil) != c.valid {
			t.Errorf("%s: valid should be %v, got %v", name, c.valid, err)
		}
	}
}
