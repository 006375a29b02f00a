package openapi_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// The document for programs that read OpenAPI 3.0 is valid there, with its examples, and has
// nothing that importers of that version refuse.
func TestOpenAPI30_IsValidAndPlain(t *testing.T) {
	t.Parallel()
	text, err := openapi.JSON30At("https://intel.example.com/brand/")
	require.NoError(t, err)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	require.NoError(t, err)
	check.NoError(t, doc.Validate(t.Context()))
	if doc.OpenAPI != "3.0.3" || doc.Servers[0].URL != "https://intel.example.com/brand" || len(doc.Info.Description) > 400 || len(text) > 1e6 {
		t.Errorf("OpenAPI %s at %s, %d bytes, of which the description has %d", doc.OpenAPI, doc.Servers[0].URL, len(text), len(doc.Info.Description))
	}
	_ = doc.WalkSchemas(func(at string, s *openapi3.SchemaRef) error {
		if v := s.Value; v.Const != nil || len(v.Examples)+len(v.OneOf)+len(v.AnyOf) > 0 || v.Not != nil || len(v.Type.Slice()) > 1 {
			t.Errorf("%s has what OpenAPI 3.0 or its importers lack", at)
		}
		return nil
	})
	// The same operations, parameters, answers and fields.
	names := func(doc *openapi3.T) (names []string) {
		eachResponse(doc, func(op, status string, response *openapi3.Response) {
			names = append(names, fmt.Sprint(op, status, slices.Sorted(maps.Keys(response.Headers))))
		})
		eachOperation(doc, func(path, _ string, op *openapi3.Operation) {
			for _, p := range op.Parameters {
				names = append(names, path+p.Value.Name)
			}
		})
		for name, s := range doc.Components.Schemas {
			names = append(names, fmt.Sprint(name, s.Value.Required, slices.Sorted(maps.Keys(s.Value.Properties))))
		}
		slices.Sort(names)
		return names
	}
	if got, want := names(doc), names(load(t)); !slices.Equal(got, want) {
		t.Errorf("it has %v, the contract %v", got, want)
	}
}
