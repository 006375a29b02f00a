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

// Schemas returns JSON Schemas of operations. Each holds all that it refers to.
// Keys have the contract's order.
type Schemas struct {
	operations map[string]struct{ Parameters, Answer json.RawMessage }
}

// ReadSchemas decodes the schemas of every operation.
func ReadSchemas() (*Schemas, error) {
	s := &Schemas{}
	if err := json.Unmarshal(schemas, &s.operations); err != nil {
		return nil, fmt.Errorf("reading the operations' schemas: %w", err)
	}
	return s, nil
}

// Parameters is the schema of an operation's query parameters, as an object with
// a property for each parameter.
func (s *Schemas) Parameters(operationID string) (json.RawMessage, error) {
	return known(operationID, s.operations[operationID].Parameters)
}

// Answer is the schema of an operation's 200 body.
func (s *Schemas) Answer(operationID string) (json.RawMessage, error) {
	return known(operationID, s.operations[operationID].Answer)
}

func known(operationID string, schema json.RawMessage) (json.RawMessage, error) {
	if schema == nil {
		return nil, fmt.Errorf("the contract has no operation %s", operationID)
	}
	return schema, nil
}
