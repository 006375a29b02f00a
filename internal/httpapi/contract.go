package httpapi

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/openapi"
)

// contract is the document that requests and responses are held against.
type contract struct {
	router     routers.Router
	operations map[string]*operation // by operationId
}

// operation is one of the contract's, with what the door needs to know of it.
type operation struct {
	id     string
	path   string
	scopes []access.Scope // empty: public
	params map[string]*openapi3.Parameter
}

// loadContract reads the document into the private copy that the validator
// works on. In its 3.1 mode kin-openapi compiles every schema anew at each
// call; the 3.0 mode knows everything the contract uses but const, which is
// mirrored into enum. Tests hold the two modes against each other.
func loadContract() (*contract, error) {
	text, err := openapi.JSON()
	if err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, fmt.Errorf("loading the contract: %w", err)
	}
	err = doc.WalkSchemas(func(_ string, s *openapi3.SchemaRef) error {
		if v := s.Value; v != nil && v.Const != nil && len(v.Enum) == 0 {
			v.Enum = []any{v.Const}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the contract: %w", err)
	}
	doc.OpenAPI = "3.0.3"
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("routing the contract: %w", err)
	}
	c := &contract{router: router, operations: map[string]*operation{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if method != http.MethodGet {
				return nil, fmt.Errorf("the contract's %s %s is not read-only", method, path)
			}
			c.operations[op.OperationID] = newOperation(path, op)
		}
	}
	return c, nil
}

func newOperation(path string, op *openapi3.Operation) *operation {
	o := &operation{id: op.OperationID, path: path, params: map[string]*openapi3.Parameter{}}
	if op.Security != nil {
		for _, requirement := range *op.Security {
			for _, scopes := range requirement {
				for _, s := range scopes {
					o.scopes = append(o.scopes, access.Scope(s))
				}
			}
		}
	}
	for _, p := range op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery {
			o.params[p.Value.Name] = p.Value
		}
	}
	return o
}

// public tells whether the operation needs no key.
func (o *operation) public() bool { return len(o.scopes) == 0 }

// quick tells whether reading an answer in vain costs next to nothing.
func (o *operation) quick() bool {
	return o != nil && (o.id == "listInterviews" || o.id == "getInterview")
}

// missingScope is the first scope that the caller lacks, if any.
func (o *operation) missingScope(c access.Caller) (access.Scope, bool) {
	i := slices.IndexFunc(o.scopes, func(s access.Scope) bool { return !c.Has(s) })
	if i < 0 {
		return "", false
	}
	return o.scopes[i], true
}

// validatorOptions are shared by requests and responses. Scopes and unknown
// parameters are checked by ourselves.
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

// checkUUID takes what PostgreSQL takes, in the one spelling of 36 characters.
func checkUUID(text string) error {
	if len(text) != 36 {
		return fmt.Errorf("not a UUID of 36 characters")
	}
	_, err := uuid.Parse(text)
	return err
}
