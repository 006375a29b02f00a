package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/clientintel/clientintel/openapi"
)

// validate checks a response against the contract and returns the operation's id,
// which is empty when the contract has no operation for the request.
func (r *run) validate(ctx context.Context, res *response) (string, error) {
	if res.method != http.MethodGet {
		return "", nil
	}
	req, err := http.NewRequestWithContext(ctx, res.method, res.path, http.NoBody)
	if err != nil {
		return "", err
	}
	route, params, err := r.router.FindRoute(req)
	if err != nil {
		return "", nil //nolint:nilerr // no operation: its errors are checked where the request is made
	}
	name := route.Operation.OperationID
	if route.Operation.Responses.Status(res.status) == nil {
		return name, fmt.Errorf("%s answers %d, which the contract does not know", res, res.status)
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
		// Details would hold values: the client's data.
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: params, Route: route, Options: options,
		},
		Status: res.status, Header: res.header, Options: options,
	}
	if err := openapi3filter.ValidateResponse(ctx, in.SetBodyBytes(res.body)); err != nil {
		return name, fmt.Errorf("%s answers %d and breaks the contract: %s", res, res.status, openapi.BrokenAt(err))
	}
	return name, nil
}

// fields are the names of a schema's properties, without some.
func (r *run) fields(schema string, without ...string) []string {
	names := slices.Sorted(maps.Keys(r.contract.Components.Schemas[schema].Value.Properties))
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(without, name) })
}

// compareServed compares a served contract, except for the server's address, with
// the program's own.
func compareServed(served []byte) error {
	var theirs, ours map[string]any
	if err := json.Unmarshal(served, &theirs); err != nil {
		return errors.New("the served contract is no JSON object")
	}
	if err := json.Unmarshal(openapi.JSON(), &ours); err != nil {
		return err
	}
	delete(theirs, "servers")
	delete(ours, "servers")
	if at := firstDifference("", ours, theirs); at != "" {
		return fmt.Errorf("the served contract differs from this program's at %s; does this program's release go with the server's?", at)
	}
	return nil
}

// firstDifference is the JSON pointer of the first difference, in the order of names.
func firstDifference(at string, a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	left, isObject := a.(map[string]any)
	right, areObjects := b.(map[string]any)
	if !isObject || !areObjects {
		return at
	}
	either := maps.Clone(left)
	maps.Copy(either, right)
	for _, name := range slices.Sorted(maps.Keys(either)) {
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
