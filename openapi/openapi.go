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

//go:embed generated/admin.json
var administration []byte

//go:embed generated/openapi-3.0.json
var contract30 string

//go:embed generated/tools.json
var tools []byte

// JSON returns the contract as indented JSON, with keys in the order of the YAML.
func JSON() []byte { return []byte(contract) }

// JSONAt is JSON with publicURL, which ends before the API's path, as the
// server's address. When publicURL is empty, the server is "/": the host that
// served the document.
func JSONAt(publicURL string) ([]byte, error) { return at(publicURL, JSON()) }

// JSON30At is the contract as OpenAPI 3.0.3, for programs that read no 3.1.
func JSON30At(publicURL string) ([]byte, error) { return at(publicURL, []byte(contract30)) }

func at(publicURL string, document []byte) ([]byte, error) {
	if publicURL == "" {
		return document, nil
	}
	// The contract's paths begin with a slash.
	address, err := json.Marshal(strings.TrimRight(publicURL, "/"))
	if err != nil {
		return nil, fmt.Errorf("writing the server's address: %w", err)
	}
	return bytes.Replace(document, []byte(`"url": "/"`), append([]byte(`"url": `), address...), 1), nil
}

// AdminJSON returns the contract of the administration API as JSON.
func AdminJSON() []byte { return administration }

// Tools returns the agents' tools as JSON: a list of names, texts, schemas and the
// operations behind them.
func Tools() []byte { return tools }
