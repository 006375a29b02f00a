package httpapi

import (
	"fmt"
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// contract is the document that requests and responses are validated against.
type contract struct {
	operations map[string]*operation // by operationId
	byPath     map[string]*operation
}

// operation is one operation of the contract, as the middleware needs it.
type operation struct {
	id          string
	path        string
	scopes      []auth.Scope // empty: public
	queryParams map[string]*openapi3.Parameter
	pathParams  []*openapi3.Parameter
	route       *routers.Route // what the validator takes
}

func loadContract() (*contract, error) {
	doc, err := openapi.ValidationDocument()
	if err != nil {
		return nil, err
	}
	c := &contract{operations: map[string]*operation{}, byPath: map[string]*operation{}}
	for path, item := range doc.Paths.Map() {
		for method, described := range item.Operations() {
			if method != http.MethodGet {
				return nil, fmt.Errorf("the contract's %s %s is not read-only", method, path)
			}
			op := newOperation(&routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: described})
			c.operations[op.id], c.byPath[path] = op, op
		}
	}
	return c, nil
}

func newOperation(route *routers.Route) *operation {
	described := route.Operation
	op := &operation{
		id: described.OperationID, path: route.Path, queryParams: map[string]*openapi3.Parameter{}, route: route,
	}
	if described.Security != nil {
		for _, requirement := range *described.Security {
			for _, scopes := range requirement {
				for _, s := range scopes {
					op.scopes = append(op.scopes, auth.Scope(s))
				}
			}
		}
	}
	for _, p := range described.Parameters {
		if p.Value.In == openapi3.ParameterInPath {
			op.pathParams = append(op.pathParams, p.Value)
		} else {
			op.queryParams[p.Value.Name] = p.Value
		}
	}
	return op
}

// eachRoute calls register with each generated route's handler and its operation.
func (c *contract) eachRoute(handlers api.ServerInterface, register func(op *operation, handler http.Handler)) error {
	generated := chi.NewRouter()
	api.HandlerWithOptions(handlers, api.ChiServerOptions{BaseRouter: generated, ErrorHandlerFunc: writeError})
	return chi.Walk(generated, func(_, path string, handler http.Handler, _ ...func(http.Handler) http.Handler) error {
		op := c.byPath[path]
		if op == nil {
			return fmt.Errorf("the contract does not know the generated route %s", path)
		}
		register(op, handler)
		return nil
	})
}

// checkScopes refuses a caller that lacks one of the operation's scopes.
func (o *operation) checkScopes(c auth.Caller) error {
	for _, s := range o.scopes {
		if !c.Has(s) {
			return apierror.MissingScope(string(s))
		}
	}
	return nil
}

// validatorOptions are for requests and responses. This package itself checks scopes and
// unknown parameters.
func validatorOptions() *openapi3filter.Options {
	return &openapi3filter.Options{
		AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
		SkipSettingDefaults:   true,
		IncludeResponseStatus: true,
		SchemaValidationOptions: []openapi3.SchemaValidationOption{
			// Its details hold values, which are the client's data.
			openapi3.DisableSchemaErrorDetails(),
			openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(checkUUID)),
		},
	}
}

// checkUUID accepts what PostgreSQL accepts, in the one spelling of 36 characters.
func checkUUID(text string) error {
	if len(text) != 36 {
		return fmt.Errorf("not a UUID of 36 characters")
	}
	_, err := uuid.Parse(text)
	return err
}
