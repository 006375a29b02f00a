package apitest

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// writtenContract is the contract as it is written, in the dialect of OpenAPI 3.1; the
// server itself checks in a faster one. So every test compares the two.
type writtenContract struct {
	router routers.Router

	mu       sync.Mutex
	compiler *jsonschema.Compiler // compiles each schema once
}

const contractURL = "urn:contract"

var contract = sync.OnceValues(func() (*writtenContract, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.JSON())
	if err != nil {
		return nil, err
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	text, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.JSON()))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return &writtenContract{router: router, compiler: compiler}, compiler.AddResource(contractURL, text)
})

// checkAgainstContract fails the test when a response breaks the contract.
func checkAgainstContract(t testing.TB, req *http.Request, a *Response) {
	t.Helper()
	contract, err := contract()
	require.NoError(t, err)
	route, params, err := contract.router.FindRoute(req)
	if err != nil {
		return // no operation: its refusals are tested where they are made
	}
	switch a.Status {
	case http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusInternalServerError:
		return // these are in no operation
	}
	schema, err := contract.schemaOf(route, a.Status)
	require.NoError(t, err, a.request)
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true, ExcludeResponseBody: schema != nil,
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: params, Route: route, Options: options,
		},
		Status: a.Status, Header: a.Header, Options: options,
	}
	check.NoError(t, openapi3filter.ValidateResponse(context.Background(), input.SetBodyBytes(a.Body)), a.request)
	if schema == nil {
		return
	}
	if media, _, err := mime.ParseMediaType(a.Header.Get("Content-Type")); err != nil || media != jsonType {
		t.Errorf("%s: the response is %q, the contract has %s", a.request, a.Header.Get("Content-Type"), jsonType)
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.Body))
	if err == nil {
		err = schema.Validate(body)
	}
	if err != nil {
		t.Errorf("%s: the response breaks the contract: %v", a.request, err)
	}
}

const jsonType = "application/json"

// schemaOf is the schema of an operation's JSON with a status; nil where it has none.
func (c *writtenContract) schemaOf(route *routers.Route, status int) (*jsonschema.Schema, error) {
	name := strconv.Itoa(status)
	declared := route.Operation.Responses.Value(name)
	if declared == nil {
		name, declared = "default", route.Operation.Responses.Default()
	}
	if declared == nil || declared.Value.Content[jsonType] == nil {
		return nil, nil
	}
	at := declared.Ref
	if at == "" {
		escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
		at = "#/paths/" + escape.Replace(route.Path) + "/" + strings.ToLower(route.Method) + "/responses/" + name
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compiler.Compile(contractURL + at + "/content/application~1json/schema")
}
