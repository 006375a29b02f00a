package apitest

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/clientintel/clientintel/openapi"
)

// contractRouter routes the contract in its own dialect, OpenAPI 3.1; the server
// itself checks in a faster one. So every test holds the two against each other.
var contractRouter = sync.OnceValues(func() (routers.Router, error) {
	text := openapi.JSON()
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(doc)
})

// holdAgainstContract fails the test when an answer breaks the contract.
func holdAgainstContract(t testing.TB, req *http.Request, a *Answer) {
	t.Helper()
	router, err := contractRouter()
	if err != nil {
		t.Fatalf("loading the contract: %v", err)
	}
	route, params, err := router.FindRoute(req)
	if err != nil {
		return // no operation: its refusals are tested where they are made
	}
	switch a.Status {
	case http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusInternalServerError:
		return // these stand in no operation
	}
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: params, Route: route, Options: options,
		},
		Status: a.Status, Header: a.Header, Options: options,
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input.SetBodyBytes(a.Body)); err != nil {
		t.Errorf("%s: the answer breaks the contract: %v", a.request, err)
	}
}
