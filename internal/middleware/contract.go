package middleware

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// Contract is the document that requests and responses are validated against.
type Contract struct {
	operations map[string]*Operation // by operationId
	byRoute    map[string]*Operation // by method and path
}

// Operation is one operation of the contract.
type Operation struct {
	ID   string
	Path string
	// QueryParams are its query parameters, by name.
	QueryParams map[string]*openapi3.Parameter

	scopes       []auth.Scope // empty: public
	pathParams   []*openapi3.Parameter
	headerParams []*openapi3.Parameter
	route        *routers.Route // what the validator takes
}

// LoadContract reads the contract.
func LoadContract() (*Contract, error) {
	doc, err := openapi.ValidationDocument()
	if err != nil {
		return nil, err
	}
	c := NewContract(doc)
	for _, op := range c.operations {
		if method := op.route.Method; method != http.MethodGet {
			return nil, fmt.Errorf("the contract's %s %s is not read-only", method, op.Path)
		}
	}
	return c, nil
}

// NewContract takes a contract in the form for validation.
func NewContract(doc *openapi3.T) *Contract {
	c := &Contract{operations: map[string]*Operation{}, byRoute: map[string]*Operation{}}
	for path, item := range doc.Paths.Map() {
		for method, described := range item.Operations() {
			op := newOperation(&routers.Route{Spec: doc, Path: path, PathItem: item, Method: method, Operation: described})
			c.operations[op.ID], c.byRoute[method+" "+path] = op, op
		}
	}
	return c
}

func newOperation(route *routers.Route) *Operation {
	described := route.Operation
	op := &Operation{
		ID: described.OperationID, Path: route.Path, QueryParams: map[string]*openapi3.Parameter{}, route: route,
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
	for _, p := range slices.Concat(route.PathItem.Parameters, described.Parameters) {
		switch p.Value.In {
		case openapi3.ParameterInPath:
			op.pathParams = append(op.pathParams, p.Value)
		case openapi3.ParameterInHeader:
			op.headerParams = append(op.headerParams, p.Value)
		default:
			op.QueryParams[p.Value.Name] = p.Value
		}
	}
	return op
}

// Operation is an operation by its id, nil if there is none.
func (c *Contract) Operation(id string) *Operation { return c.operations[id] }

// Name records which operation a request is for, by the pattern of its route.
func (c *Contract) Name(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		op := c.byRoute[r.Method+" "+chi.RouteContext(r.Context()).RoutePattern()]
		record := RecordFrom(r.Context())
		record.Operation, record.operation = op.ID, op
		next.ServeHTTP(w, r)
	})
}

// Check refuses requests without the operation's scope, and then those with parameters or a
// body that the contract does not accept.
func (c *Contract) Check(next http.Handler) http.Handler {
	options := validatorOptions()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkRequest(r, RecordFrom(r.Context()).operation, options); err != nil {
			WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// CheckScopes refuses a caller that lacks one of the operation's scopes.
func (o *Operation) CheckScopes(c auth.Caller) error {
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
