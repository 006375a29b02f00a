package openapi

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
)

// ValidationDocument returns a copy of the contract that is for kin-openapi's
// validator only. In its mode for OpenAPI 3.1 the validator compiles every schema
// at each call. Its mode for 3.0 lacks only const, which is copied to enum. Tests
// compare the two modes.
func ValidationDocument() (*openapi3.T, error) {
	document, err := openapi3.NewLoader().LoadFromData(JSON())
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
