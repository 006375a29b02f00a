package openapi_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/openapi"
)

// What is served is what was written: not a value is lost or changed on the
// way from YAML to JSON.
func TestJSON_MeansWhatTheYAMLSays(t *testing.T) {
	t.Parallel()
	var source any
	if err := yaml.Unmarshal(written(t), &source); err != nil {
		t.Fatalf("reading the YAML: %v", err)
	}
	text, err := json.Marshal(source)
	if err != nil {
		t.Fatalf("the YAML holds what JSON cannot: %v", err)
	}
	got, want := decode(t, openapi.JSON()), decode(t, text)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the JSON differs from the YAML")
	}
}

// The served document reads like its source.
func TestJSON_KeepsTheOrderOfKeys(t *testing.T) {
	t.Parallel()
	var document yaml.Node
	if err := yaml.Unmarshal(written(t), &document); err != nil {
		t.Fatalf("reading the YAML: %v", err)
	}
	var want []string
	eachKey(&document, func(key *yaml.Node) { want = append(want, key.Value) })
	got := keysOf(t, openapi.JSON())
	if len(want) < 1000 {
		t.Fatalf("found only %d keys in the contract", len(want))
	}
	if !slices.Equal(got, want) {
		t.Errorf("keys come in another order than in the YAML")
	}
}

func TestJSON_LeavesMarkupReadable(t *testing.T) {
	t.Parallel()
	if !strings.Contains(string(openapi.JSON()), "Bearer <API_KEY>") {
		t.Error("angle brackets are escaped")
	}
}

func TestJSONAt_ChangesTheServerOnly(t *testing.T) {
	t.Parallel()
	for _, publicURL := range []string{"https://intel.example.com/brand", "https://intel.example.com/brand/"} {
		text, err := openapi.JSONAt(publicURL)
		if err != nil {
			t.Fatalf("JSONAt(%q): %v", publicURL, err)
		}
		got := decode(t, text).(map[string]any)
		server := got["servers"].([]any)[0].(map[string]any)
		if server["url"] != "https://intel.example.com/brand" {
			t.Errorf("JSONAt(%q) names the server %v", publicURL, server["url"])
		}
		server["url"] = "/"
		if !reflect.DeepEqual(any(got), decode(t, openapi.JSON())) {
			t.Errorf("JSONAt(%q) changes more than the server", publicURL)
		}
	}
}

// The contract that is handed out is a copy: no caller can change what others are
// served.
func TestJSON_CannotBeChangedByACaller(t *testing.T) {
	t.Parallel()
	openapi.JSON()[0] = '!'
	if !bytes.HasPrefix(openapi.JSON(), []byte("{\n")) {
		t.Error("a caller changed the contract")
	}
}

// written is the contract as people write it.
func written(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("decoding JSON: %v", err)
	}
	return value
}

func eachKey(node *yaml.Node, visit func(key *yaml.Node)) {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 0 {
			visit(child)
			continue
		}
		eachKey(child, visit)
	}
}

// keysOf lists the keys of all objects, as they stand in the text.
func keysOf(t *testing.T, text []byte) []string {
	t.Helper()
	type level struct{ isObject, wantsKey bool }
	var keys []string
	var open []level
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return keys
		}
		if err != nil {
			t.Fatalf("reading JSON: %v", err)
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if top := len(open) - 1; top >= 0 && open[top].isObject {
			if open[top].wantsKey {
				keys = append(keys, token.(string))
			}
			open[top].wantsKey = !open[top].wantsKey
		}
		if token == json.Delim('{') || token == json.Delim('[') {
			isObject := token == json.Delim('{')
			open = append(open, level{isObject: isObject, wantsKey: isObject})
		}
	}
}
