package openapi_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/openapi"
)

// generatorFaults are constructs that are valid, and that generators of clients
// read wrongly, each with what came of it.
var generatorFaults = []struct {
	construct, consequence string
	found                  func(*openapi3.SchemaRef) bool
}{
	{
		"a const that is no string", "an enum of texts: Python, PHP and Rust refuse the answer, C# does not compile",
		func(s *openapi3.SchemaRef) bool { return s.Value.Const != nil && !s.Value.Type.Is("string") },
	},
	{
		"an enum of other values than strings and null", "constants without a name, or of the wrong type",
		func(s *openapi3.SchemaRef) bool {
			return slices.ContainsFunc(s.Value.Enum, func(v any) bool { _, isText := v.(string); return !isText && v != nil })
		},
	},
	{
		"an anyOf of objects", "PHP, Ruby and TypeScript-fetch lose fields, Rust fails, Go takes one shape for the other",
		func(s *openapi3.SchemaRef) bool { return slices.ContainsFunc(s.Value.AnyOf, isObject) },
	},
	{
		"a oneOf of objects in which two accept the same value", "the same as an anyOf",
		func(s *openapi3.SchemaRef) bool {
			for i, a := range s.Value.OneOf {
				for _, b := range s.Value.OneOf[i+1:] {
					if isObject(a) && isObject(b) && !refuses(a.Value, b.Value) && !refuses(b.Value, a.Value) {
						return true
					}
				}
			}
			return false
		},
	},
	{
		"a not with object keywords", "ignored, or a model of its own",
		func(s *openapi3.SchemaRef) bool {
			return s.Value.Not != nil && (s.Value.Not.Ref != "" || len(s.Value.Not.Value.Required)+len(s.Value.Not.Value.Properties) > 0)
		},
	},
	{
		"an object or a oneOf inside a property", "a model with an invented name, another in each generator",
		func(s *openapi3.SchemaRef) bool {
			for _, p := range s.Value.Properties {
				if p.Ref == "" && (len(p.Value.Properties) > 0 || len(p.Value.OneOf) > 0 || len(p.Value.AllOf) > 0) {
					return true
				}
			}
			return false
		},
	},
	{
		"several types beside null", "the first of them, or any value",
		func(s *openapi3.SchemaRef) bool {
			return s.Value.Type != nil && len(slices.DeleteFunc(s.Value.Type.Slice(), func(t string) bool { return t == "null" })) > 1
		},
	},
	{
		"null in an anyOf or a oneOf", "a warning from the Java generators; name null in the type",
		func(s *openapi3.SchemaRef) bool {
			isNull := func(s *openapi3.SchemaRef) bool { return s.Value.Type.Is("null") }
			return slices.ContainsFunc(s.Value.AnyOf, isNull) || slices.ContainsFunc(s.Value.OneOf, isNull)
		},
	},
	{
		"an integer without a format", "32 bits in one language, 64 in another, a float in a third",
		func(s *openapi3.SchemaRef) bool { return s.Value.Type.Is("integer") && s.Value.Format == "" },
	},
	{
		"a required property that is not defined", "a field without a type",
		func(s *openapi3.SchemaRef) bool {
			return slices.ContainsFunc(s.Value.Required, func(name string) bool { return s.Value.Properties[name] == nil })
		},
	},
}

// The contract keeps to what generators read as it is meant. make partners shows
// what they make of it.
func TestContract_HasNothingThatGeneratorsReadWrongly(t *testing.T) {
	t.Parallel()
	for at, fault := range generatorFaultsOf(load(t)) {
		t.Errorf("%s: %s", at, fault)
	}
}

// The document for programs that read OpenAPI 3.0 is valid there, with its examples, and has
// nothing that importers of that version refuse.
func TestOpenAPI30_IsValidAndPlain(t *testing.T) {
	t.Parallel()
	text, err := openapi.JSON30At("https://intel.example.com/brand/")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context()); err != nil {
		t.Error(err)
	}
	if doc.OpenAPI != "3.0.3" || doc.Servers[0].URL != "https://intel.example.com/brand" || len(doc.Info.Description) > 400 || len(text) > 1e6 {
		t.Errorf("OpenAPI %s at %s, %d bytes, of which the description has %d", doc.OpenAPI, doc.Servers[0].URL, len(text), len(doc.Info.Description))
	}
	for at, fault := range generatorFaultsOf(doc) {
		t.Errorf("%s: %s", at, fault)
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

// generatorFaultsOf names each fault by the place of its schema.
func generatorFaultsOf(doc *openapi3.T) map[string]string {
	faults := map[string]string{}
	_ = doc.WalkSchemas(func(at string, s *openapi3.SchemaRef) error {
		for _, f := range generatorFaults {
			// A not is for validators alone.
			if s.Value != nil && !strings.HasSuffix(at, "/not") && f.found(s) {
				faults[at] = f.construct + ": " + f.consequence
			}
		}
		return nil
	})
	return faults
}

func isObject(s *openapi3.SchemaRef) bool { return s.Value.Type.Is("object") }

// refuses tells whether a refuses whatever b requires, by a property that b
// requires and a has no place for.
func refuses(a, b *openapi3.Schema) bool {
	closed := a.AdditionalProperties.Has != nil && !*a.AdditionalProperties.Has
	return closed && slices.ContainsFunc(b.Required, func(name string) bool { return a.Properties[name] == nil })
}
