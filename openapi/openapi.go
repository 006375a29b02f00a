package openapi

import (
	"bytes"
	_ "embed" // the contract
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed generated/openapi.json
var contract string

//go:embed generated/schemas.json
var schemas []byte

// JSON returns the contract as indented JSON, with keys in the order of the YAML.
func JSON() []byte { return []byte(contract) }

// JSONAt is JSON with publicURL, which ends before the API's path, as the
// server's address. When publicURL is empty, the server is "/": the host that
// served the document.
func JSONAt(publicURL string) ([]byte, error) {
	if publicURL == "" {
		return JSON(), nil
	}
	// The contract's paths begin with a slash.
	address, err := json.Marshal(strings.TrimRight(publicURL, "/"))
	if err != nil {
		return nil, fmt.Errorf("writing the server's address: %w", err)
	}
	return bytes.Replace(JSON(), []byte(`"url": "/"`), append([]byte(`"url": `), address...), 1), nil
}

// Schemas are the JSON Schemas of an operation. Each holds all that it refers to. Keys
// have the contract's order.
type Schemas struct {
	// Parameters is that of the query parameters, as an object with a property for
	// each; Answer is that of a 200 body.
	Parameters, Answer json.RawMessage
}

// ReadSchemas decodes the schemas of every operation, by its operationId.
func ReadSchemas() (operations map[string]Schemas, err error) {
	if err := json.Unmarshal(schemas, &operations); err != nil {
		return nil, fmt.Errorf("reading the operations' schemas: %w", err)
	}
	return operations, nil
}
