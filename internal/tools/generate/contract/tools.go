package contract

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// tools are the agents' tools, as openapi/tools.yaml has them.
type tools struct {
	EveryTool   string `yaml:"every_tool"`
	EveryAnswer string `yaml:"every_answer"`
	// Arguments are shorter descriptions of parameters.
	Arguments map[string]string
	Flags     map[string]struct {
		Default     bool
		Description string
	}
	Tools []struct {
		Name, Operation, Title, Use, Absent, Narrower string
		Flags                                         []string
	}
}

// tool is one of them as the server has it.
type tool struct {
	Tool declaration `json:"tool"`
	// Operation is the contract's operationId, and Narrower how to ask for less.
	Operation string `json:"operation"`
	Narrower  string `json:"narrower"`
	// Flags are the arguments that are no parameters of the operation. Of the others, some
	// are integers, and of some any text is taken.
	Flags    []string `json:"flags"`
	Integers []string `json:"integers"`
	Texts    []string `json:"texts"`
}

// declaration is a tool as the protocol has it.
type declaration struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  json.RawMessage `json:"annotations"`
}

// Tools returns the agents' tools as JSON, from the contract and their texts: each with a
// JSON Schema of its arguments and one of its result, but for what is omissible. A schema
// has all that it refers to, and little text: agents pay for what they read.
func Tools(document Node, texts []byte) ([]byte, error) {
	var declared tools
	if err := yaml.Unmarshal(texts, &declared); err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	s := schemas{document}
	var made []tool
	for _, t := range declared.Tools {
		operation := s.operation(t.Operation)
		if !operation.Exists() {
			return nil, fmt.Errorf("%s: the contract has no operation %s", t.Name, t.Operation)
		}
		one := tool{Operation: t.Operation, Narrower: t.Narrower, Flags: t.Flags}
		input := s.parameters(operation, declared.Arguments)
		properties := input.At("properties")
		for _, name := range properties.Keys() {
			switch schema := properties.At(name); {
			case schema.At("type").Text() == "integer":
				one.Integers = append(one.Integers, name)
			case schema.At("minLength").Exists():
				one.Texts = append(one.Texts, name)
			}
		}
		for _, name := range t.Flags {
			property := mapping()
			property.put("type", "boolean")
			property.put("default", declared.Flags[name].Default)
			property.put("description", declared.Flags[name].Description)
			properties.put(name, property)
		}
		one.Tool = declaration{
			Name: t.Name, Title: t.Title, Description: t.Use + " " + declared.EveryTool,
			Annotations: json.RawMessage(`{"readOnlyHint":true,"idempotentHint":true,"destructiveHint":false,"openWorldHint":false}`),
		}
		var err error
		if one.Tool.InputSchema, err = input.JSON(""); err != nil {
			return nil, err
		}
		if one.Tool.OutputSchema, err = s.response(operation, t.Absent+" "+declared.EveryAnswer).JSON(""); err != nil {
			return nil, err
		}
		made = append(made, one)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(made)
	return out.Bytes(), err
}
