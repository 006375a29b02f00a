package openapi

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
)

// ValidationDocument returns the contract in the form that is for kin-openapi's
// validator only. In its mode for OpenAPI 3.1 the validator compiles every schema
// at each call. Its mode for 3.0 lacks only const, which is copied to enum. Tests
// compare the two modes. It is read once: callers share it, and must not change it.
func ValidationDocument() (*openapi3.T, error) { return validationDocument() }

// AdminValidationDocument is the same of the administration API.
func AdminValidationDocument() (*openapi3.T, error) { return validationForm(AdminJSON()) }

var validationDocument = sync.OnceValues(func() (*openapi3.T, error) { return validationForm(JSON()) })

func validationForm(contract []byte) (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromData(contract)
	if err != nil {
		return nil, fmt.Errorf("loading the contract: %w", err)
	}
	err = document.WalkSchemas(func(_ string, s *openapi3.SchemaRef) error {
		if v := s.Value; v != nil && v.Const != nil && len(v.Enum) == 0 {
			v.Enum = []any{v.Const}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the contract: %w", err)
	}
	document.OpenAPI = "3.0.3"
	return document, nil
}

// BrokenAt says where and how a response breaks the contract, without its values. The
// error is the validator's.
func BrokenAt(err error) string {
	if schema, ok := errors.AsType[*openapi3.SchemaError](err); ok {
		return fmt.Sprintf("/%s: %s", strings.Join(schema.JSONPointer(), "/"), schema.SchemaField)
	}
	if response, ok := errors.AsType[*openapi3filter.ResponseError](err); ok {
		return response.Reason
	}
	return "unknown"
}
