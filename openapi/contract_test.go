package openapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// operation says what the contract promises of one route, apart from schemas.
type operation struct {
	path     string
	scope    string // empty: public
	statuses string
}

const ofKeys = "200 400 401 403 429 503 default"

// The whole REST surface. A route or a status more or less is a decision, and
// shows here.
var surface = map[string]operation{
	"listInterviews":        {"/api/client/v1/interviews", "read:interviews_metadata", ofKeys},
	"getInterview":          {"/api/client/v1/interviews/{id}", "read:interviews_metadata", "200 400 401 403 404 429 503 default"},
	"listCampaigns":         {"/api/client/v1/campaigns", "read:campaigns", ofKeys},
	"listSynthesis":         {"/api/client/v1/synthesis", "read:synthesis", ofKeys},
	"getInterviewAnalytics": {"/api/client/v1/analytics/interviews", "read:interviews_metadata", ofKeys},
	"searchIntelligence":    {"/api/client/v1/intelligence/search", "read:custom_extraction", ofKeys},
	"getOpenapi":            {"/api/client/v1/openapi.json", "", "200 304 default"},
}

func TestContract_IsValidOpenAPI31(t *testing.T) {
	t.Parallel()
	doc := load(t)
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "1.2.0" {
		t.Errorf("got OpenAPI %s, version %s; want 3.1.0, 1.2.0", doc.OpenAPI, doc.Info.Version)
	}
	check.NoError(t, doc.Validate(t.Context()), "the contract is not valid")
}

func TestContract_HasExactlyItsSevenOperations(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	eachOperation(load(t), func(path, method string, op *openapi3.Operation) {
		found[op.OperationID] = true
		want, known := surface[op.OperationID]
		if !known {
			t.Errorf("%s %s: unexpected operation %q", method, path, op.OperationID)
			return
		}
		if method != "GET" || path != want.path || op.RequestBody != nil {
			t.Errorf("%s: got %s %s, want GET %s without a body", op.OperationID, method, path, want.path)
		}
		check.Equal(t, strings.Join(slices.Sorted(maps.Keys(op.Responses.Map())), " "), want.statuses, op.OperationID)
	})
	check.Equal(t, len(found), len(surface), "operations", slices.Sorted(maps.Keys(found)))
}

// queryParameters are those of an operation, in the contract's order.
func queryParameters(t *testing.T, operation string) []string {
	t.Helper()
	var names []string
	eachOperation(load(t), func(_, _ string, op *openapi3.Operation) {
		for _, p := range op.Parameters {
			if op.OperationID == operation && p.Value.In == "query" {
				names = append(names, p.Value.Name)
			}
		}
	})
	return names
}

// A caller can always see its quota, and find its request in our log.
func TestContract_EveryResponseDeclaresItsHeaders(t *testing.T) {
	t.Parallel()
	quota := []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}
	// The value says whether the header is there on every such response.
	wantOf := func(op, status string) map[string]bool {
		want := map[string]bool{"X-Request-Id": true}
		switch {
		case status == "default":
			want["Allow"] = false
		case surface[op].scope == "":
			want["ETag"], want["Cache-Control"] = true, true
			return want
		case status == "401":
			want["WWW-Authenticate"] = true
			return want
		case status == "403":
			want["WWW-Authenticate"] = true
		case status == "429":
			want["Retry-After"] = true
		case status == "503":
			want["Retry-After"] = false
		}
		for _, name := range quota {
			want[name] = status != "503" && status != "default" // the quota itself may be out of reach
		}
		return want
	}
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		got := map[string]bool{}
		for name, header := range response.Headers {
			got[name] = header.Value.Required
		}
		if want := wantOf(op, status); !maps.Equal(got, want) {
			t.Errorf("%s %s: got headers %v, want %v", op, status, got, want)
		}
	})
}

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(written(t))
	require.NoError(t, err)
	return doc
}

// conforms holds a value against a schema as JSON Schema 2020-12 does.
func conforms(schema *openapi3.Schema, value any) error {
	return schema.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation(),
		openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(checkUUID)))
}

// checkUUID takes what PostgreSQL takes; the usual patterns refuse some of it.
func checkUUID(text string) error {
	if len(text) != 36 {
		return fmt.Errorf("%q has not 36 characters", text)
	}
	_, err := uuid.Parse(text)
	return err
}

func eachOperation(doc *openapi3.T, visit func(path, method string, op *openapi3.Operation)) {
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			visit(path, method, op)
		}
	}
}

func eachResponse(doc *openapi3.T, visit func(op, status string, response *openapi3.Response)) {
	eachOperation(doc, func(_, _ string, op *openapi3.Operation) {
		for status, response := range op.Responses.Map() {
			visit(op.OperationID, status, response.Value)
		}
	})
}
