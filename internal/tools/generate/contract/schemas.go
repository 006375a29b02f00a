package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schemas returns the JSON Schemas of every operation, by its id: one of its query
// parameters and one of its 200 body. Each holds all that it refers to. Keys have
// the contract's order.
func Schemas(document *yaml.Node) ([]byte, error) {
	s := &schemas{document: document}
	var out bytes.Buffer
	separator := "{\n"
	paths := contentOf(valueOf(document, "paths"))
	for i := 1; i < len(paths); i += 2 {
		for j := 1; j < len(paths[i].Content); j += 2 {
			operation := paths[i].Content[j]
			id := text(operation, "operationId")
			parameters, err := s.parameters(operation)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			answer, err := s.answer(operation)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			fmt.Fprintf(&out, "%s%q: {\n\"parameters\": %s,\n\"answer\": %s}", separator, id, parameters, answer)
			separator = ",\n"
		}
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

type schemas struct{ document *yaml.Node }

// parameters is the schema of an operation's query parameters, as an object with
// a property for each parameter.
func (s *schemas) parameters(operation *yaml.Node) (json.RawMessage, error) {
	properties, required := mapping(), sequence()
	for _, item := range contentOf(valueOf(operation, "parameters")) {
		parameter, err := s.resolved(item)
		if err != nil {
			return nil, err
		}
		if text(parameter, "in") != "query" {
			continue
		}
		property, err := s.property(parameter)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", text(parameter, "name"), err)
		}
		put(properties, text(parameter, "name"), property)
		if text(parameter, "required") == "true" {
			required.Content = append(required.Content, scalar(text(parameter, "name")))
		}
	}
	schema := mapping()
	put(schema, "type", scalar("object"))
	put(schema, "properties", properties)
	if len(required.Content) > 0 {
		put(schema, "required", required)
	}
	put(schema, "additionalProperties", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"})
	return compact(schema)
}

// property is a parameter's schema, with the parameter's description and examples.
func (s *schemas) property(parameter *yaml.Node) (*yaml.Node, error) {
	schema, err := s.resolved(valueOf(parameter, "schema"))
	if err != nil {
		return nil, err
	}
	property := mapping()
	for i := 0; i+1 < len(schema.Content); i += 2 {
		if key := schema.Content[i].Value; key != "description" {
			put(property, key, schema.Content[i+1])
		}
	}
	put(property, "description", scalar(strings.TrimSpace(text(parameter, "description"))))
	examples := sequence()
	if example := valueOf(parameter, "example"); example != nil {
		examples.Content = append(examples.Content, example)
	}
	named := contentOf(valueOf(parameter, "examples"))
	for i := 1; i < len(named); i += 2 {
		examples.Content = append(examples.Content, valueOf(named[i], "value"))
	}
	if len(examples.Content) > 0 {
		put(property, "examples", examples)
	}
	return property, nil
}

// answer is the schema of an operation's 200 body. Schemas that it refers to are
// in $defs, in the order of their first reference.
func (s *schemas) answer(operation *yaml.Node) (json.RawMessage, error) {
	at := operation
	for _, key := range []string{"responses", "200", "content", "application/json", "schema"} {
		if at = valueOf(at, key); at == nil {
			return nil, fmt.Errorf("there is no %s on the way to the 200 body", key)
		}
	}
	at, err := s.resolved(at)
	if err != nil {
		return nil, err
	}
	used := mapping()
	root, err := s.detached(at, used)
	if err != nil {
		return nil, err
	}
	put(root, "$defs", used)
	return compact(root)
}

const components = "#/components/schemas/"

// detached copies a schema without its examples. Its references point to $defs in the copy, and their
// targets are added to used.
func (s *schemas) detached(node *yaml.Node, used *yaml.Node) (*yaml.Node, error) {
	clone := *node
	content := node.Content
	if at := slices.IndexFunc(content, func(n *yaml.Node) bool { return n.Value == "examples" }); node.Kind == yaml.MappingNode && at >= 0 {
		content = slices.Concat(content[:at], content[at+2:])
	}
	clone.Content = make([]*yaml.Node, len(content))
	for i, child := range content {
		isReference := node.Kind == yaml.MappingNode && i%2 == 1 && content[i-1].Value == "$ref"
		if !isReference {
			detached, err := s.detached(child, used)
			if err != nil {
				return nil, err
			}
			clone.Content[i] = detached
			continue
		}
		name, ok := strings.CutPrefix(child.Value, components)
		if !ok {
			return nil, fmt.Errorf("line %d: %s is no schema of the contract", child.Line, child.Value)
		}
		clone.Content[i] = scalar("#/$defs/" + name)
		if valueOf(used, name) != nil {
			continue
		}
		target, err := s.resolved(node)
		if err != nil {
			return nil, err
		}
		// Added before its copy is complete, so that a schema may refer to itself.
		place := mapping()
		put(used, name, place)
		detached, err := s.detached(target, used)
		if err != nil {
			return nil, err
		}
		*place = *detached
	}
	return &clone, nil
}

// resolved follows a node's $ref, if it has one.
func (s *schemas) resolved(node *yaml.Node) (*yaml.Node, error) {
	if node == nil {
		return nil, errors.New("the contract lacks a schema")
	}
	reference := valueOf(node, "$ref")
	if reference == nil {
		return node, nil
	}
	at := s.document
	for _, key := range strings.Split(strings.TrimPrefix(reference.Value, "#/"), "/") {
		if at = valueOf(at, key); at == nil {
			return nil, fmt.Errorf("line %d: nothing at %s", reference.Line, reference.Value)
		}
	}
	return s.resolved(at)
}

func compact(node *yaml.Node) (json.RawMessage, error) {
	var out bytes.Buffer
	if err := writeJSON(&out, node); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func mapping() *yaml.Node  { return &yaml.Node{Kind: yaml.MappingNode} }
func sequence() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode} }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

func put(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, scalar(key), value)
}

// text is the value of a key, or empty when the mapping lacks the key.
func text(mapping *yaml.Node, key string) string {
	if value := valueOf(mapping, key); value != nil {
		return value.Value
	}
	return ""
}

func contentOf(node *yaml.Node) []*yaml.Node {
	if node == nil {
		return nil
	}
	return node.Content
}
