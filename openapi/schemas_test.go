package openapi_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/openapi"
)

func schemas(t *testing.T) map[string]openapi.Schemas {
	t.Helper()
	s, err := openapi.ReadSchemas()
	if err != nil {
		t.Fatalf("reading the schemas: %v", err)
	}
	return s
}

// Every operation's parameters and answer are complete in themselves, in the
// contract's order.
func TestSchemas_EveryOperationHasThem(t *testing.T) {
	t.Parallel()
	s := schemas(t)
	for id := range surface {
		parameters := s[id].Parameters
		var shape struct {
			Type       string
			Properties json.RawMessage
		}
		if err := json.Unmarshal(parameters, &shape); err != nil || shape.Type != "object" {
			t.Errorf("%s: parameters are %s (%v)", id, parameters, err)
			continue
		}
		names := namesOf(t, shape.Properties)
		if want := queryParameters(t, id); !slices.Equal(names, want) {
			t.Errorf("%s: takes %v, want %v", id, names, want)
		}
		answer := s[id].Answer
		var whole struct {
			Defs map[string]json.RawMessage `json:"$defs"`
		}
		if err := json.Unmarshal(answer, &whole); err != nil {
			t.Fatal(err)
		}
		for name := range whole.Defs {
			if !strings.Contains(string(answer), `"$ref":"#/$defs/`+name+`"`) {
				t.Errorf("%s: nothing refers to %s", id, name)
			}
		}
		for _, piece := range strings.Split(string(answer), `"$ref":"`)[1:] {
			target, _, _ := strings.Cut(piece, `"`)
			if name, ok := strings.CutPrefix(target, "#/$defs/"); !ok || whole.Defs[name] == nil {
				t.Errorf("%s: refers to %s, which it does not have", id, target)
			}
		}
	}
}

// namesOf lists an object's own names in order.
func namesOf(t *testing.T, object json.RawMessage) []string {
	t.Helper()
	var names []string
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("reading %s: %v", object, err)
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			t.Fatalf("reading %s: %v", object, err)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("reading %s: %v", object, err)
		}
	}
	return names
}

func TestSchemas_OnlyTheContractsOperations(t *testing.T) {
	t.Parallel()
	for id := range schemas(t) {
		if _, known := surface[id]; !known {
			t.Errorf("there are schemas of %s, which the contract does not have", id)
		}
	}
}

func TestSchemas_ParametersAreStrict(t *testing.T) {
	t.Parallel()
	text := schemas(t)["searchIntelligence"].Parameters
	const want = `{"type":"object","additionalProperties":false,"required":["q"],"properties":{`
	if !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), `"limit":{"type":"integer","minimum":1,"maximum":200,"default":50,`) {
		t.Errorf("got %s", text)
	}
}
