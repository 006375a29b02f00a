package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/clientintel/clientintel/openapi"
)

// contract is the document that this program was built with.
type contract struct {
	text   []byte
	doc    *openapi3.T
	router routers.Router
}

// loadContract reads it as the server does: the validator's 3.0 mode tells
// where a body breaks the contract without quoting it, and knows everything
// that is used but const, which is mirrored into enum.
func loadContract() (*contract, error) {
	text, err := openapi.JSON()
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("loading the contract: %w", err)
	}
	if err := doc.WalkSchemas(func(_ string, s *openapi3.SchemaRef) error {
		if v := s.Value; v != nil && v.Const != nil && len(v.Enum) == 0 {
			v.Enum = []any{v.Const}
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("preparing the contract: %w", err)
	}
	doc.OpenAPI = "3.0.3"
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("routing the contract: %w", err)
	}
	return &contract{text: text, doc: doc, router: router}, nil
}

// hold holds an answer against its operation, which it names. Answers of no
// operation, and those that stand in none, have an empty name.
func (c *contract) hold(ctx context.Context, a *answer) (string, error) {
	if a.method != http.MethodGet {
		return "", nil
	}
	req, err := http.NewRequestWithContext(ctx, a.method, a.path, http.NoBody)
	if err != nil {
		return "", err
	}
	route, params, err := c.router.FindRoute(req)
	if err != nil {
		return "", nil //nolint:nilerr // no operation: its refusals are checked where they are asked for
	}
	name := route.Operation.OperationID
	if route.Operation.Responses.Status(a.status) == nil {
		return name, fmt.Errorf("%s answers %d, which the contract does not know", a, a.status)
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
		// Its details hold values, which are the client's data.
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: params, Route: route, Options: options,
		},
		Status: a.status, Header: a.header, Options: options,
	}
	if err := openapi3filter.ValidateResponse(ctx, in.SetBodyBytes(a.body)); err != nil {
		return name, fmt.Errorf("%s answers %d and breaks the contract: %s", a, a.status, withoutValues(err))
	}
	return name, nil
}

// withoutValues is where and how a body breaks the contract, without what it says.
func withoutValues(err error) string {
	var schema *openapi3.SchemaError
	if errors.As(err, &schema) {
		return fmt.Sprintf("%s at /%s", schema.SchemaField, joined(schema.JSONPointer()))
	}
	var response *openapi3filter.ResponseError
	if errors.As(err, &response) && response.Err == nil {
		return response.Reason
	}
	text := err.Error()
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}

func joined(pointer []string) string {
	var b bytes.Buffer
	for i, part := range pointer {
		if i > 0 {
			b.WriteByte('/')
		}
		b.WriteString(part)
	}
	return b.String()
}

// fields are the names of a schema's properties, less some.
func (c *contract) fields(schema string, less ...string) []string {
	var names []string
	for name := range c.doc.Components.Schemas[schema].Value.Properties {
		if !slices.Contains(less, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sameContract compares a served contract with this program's. Where the
// server says that it lives is its own.
func (c *contract) same(served []byte) error {
	var theirs, ours map[string]any
	if err := json.Unmarshal(served, &theirs); err != nil {
		return errors.New("the served contract is no JSON object")
	}
	if err := json.Unmarshal(c.text, &ours); err != nil {
		return err
	}
	delete(theirs, "servers")
	delete(ours, "servers")
	if at := firstDifference("", ours, theirs); at != "" {
		return fmt.Errorf("the served contract differs from this program's at %s; does this program's release go with the server's?", at)
	}
	return nil
}

// firstDifference is the JSON pointer of one, the first in the order of names.
func firstDifference(at string, a, b any) string {
	left, isObject := a.(map[string]any)
	right, areObjects := b.(map[string]any)
	if !isObject || !areObjects {
		if reflect.DeepEqual(a, b) {
			return ""
		}
		return at
	}
	var names []string
	for name := range left {
		names = append(names, name)
	}
	for name := range right {
		if _, both := left[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		l, inLeft := left[name]
		r, inRight := right[name]
		if !inLeft || !inRight {
			return at + "/" + name
		}
		if where := firstDifference(at+"/"+name, l, r); where != "" {
			return where
		}
	}
	return ""
}
