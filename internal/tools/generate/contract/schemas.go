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

// Schemas returns the JSON Schemas of every operation for tools, by its id: one of
// its query parameters and one of its 200 body, but for what is omissible. Each
// holds all that it refers to, and little text: agents pay for what they read. Keys
// have the contract's order.
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
			response, err := s.response(operation)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", id, err)
			}
			fmt.Fprintf(&out, "%s%q: {\n\"parameters\": %s,\n\"answer\": %s}", separator, id, parameters, response)
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
	put(schema, "additionalProperties", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"})
	if len(required.Content) > 0 {
		put(schema, "required", required)
	}
	put(schema, "properties", properties) // last, so that a tool can add its own
	return compact(schema)
}

// property is a parameter's schema, with the opening of its description.
func (s *schemas) property(parameter *yaml.Node) (*yaml.Node, error) {
	schema, err := s.resolved(valueOf(parameter, "schema"))
	if err != nil {
		return nil, err
	}
	property := mapping()
	for i := 0; i+1 < len(schema.Content); i += 2 {
		if key := schema.Content[i].Value; !slices.Contains(prose, key) {
			put(property, key, schema.Content[i+1])
		}
	}
	put(property, "description", scalar(opening(strings.Join(strings.Fields(text(parameter, "description")), " "))))
	return property, nil
}

// opening is the first sentence of a description, and the next after a short one.
func opening(description string) string {
	const short = 30
	end := strings.Index(description, ". ")
	if end >= 0 && end < short {
		if next := strings.Index(description[end+2:], ". "); next >= 0 {
			end += 2 + next
		} else {
			end = -1
		}
	}
	if end < 0 {
		return description
	}
	return description[:end+1]
}

// prose are the keys of a schema whose values no program checks.
var prose = []string{"description", "example", "examples", "format", "pattern"}

// omissible are the required properties that a tool's result may lack, by schema.
var omissible = map[string]string{"InterviewAnalytics": "rows"}

// outlined are the schemas that tools describe as objects only. In a response each names
// its own schema.
var outlined = []string{"MeasurementQueryBasis", "SavedMeasurementBasis"}

// response is the schema of an operation's 200 body. Schemas that it refers to are
// in $defs, in the order of their first reference.
func (s *schemas) response(operation *yaml.Node) (json.RawMessage, error) {
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

// detached copies a schema without its prose. Its references point to $defs in the
// copy, and their targets are added to used.
func (s *schemas) detached(node *yaml.Node, used *yaml.Node) (*yaml.Node, error) {
	if node.Kind != yaml.MappingNode {
		clone := *node
		clone.Content = make([]*yaml.Node, len(node.Content))
		for i, child := range node.Content {
			detached, err := s.detached(child, used)
			if err != nil {
				return nil, err
			}
			clone.Content[i] = detached
		}
		return &clone, nil
	}
	clone := mapping()
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i].Value, node.Content[i+1]
		var detached *yaml.Node
		var err error
		switch {
		case slices.Contains(prose, key):
			continue
		case key == "$ref":
			detached, err = s.reference(value, used)
		case key == "properties":
			detached, err = s.properties(value, used)
		default:
			detached, err = s.detached(value, used)
		}
		if err != nil {
			return nil, err
		}
		put(clone, key, detached)
	}
	return clone, nil
}

// properties is detached for a mapping by names, any of which may be that of prose.
func (s *schemas) properties(node *yaml.Node, used *yaml.Node) (*yaml.Node, error) {
	clone := mapping()
	for i := 0; i+1 < len(node.Content); i += 2 {
		detached, err := s.detached(node.Content[i+1], used)
		if err != nil {
			return nil, err
		}
		put(clone, node.Content[i].Value, detached)
	}
	return clone, nil
}

// reference is the reference to a schema in $defs, to which it is added.
func (s *schemas) reference(to *yaml.Node, used *yaml.Node) (*yaml.Node, error) {
	name, ok := strings.CutPrefix(to.Value, components)
	if !ok {
		return nil, fmt.Errorf("line %d: %s is no schema of the contract", to.Line, to.Value)
	}
	here := scalar("#/$defs/" + name)
	if valueOf(used, name) != nil {
		return here, nil
	}
	// Added before its copy is complete, so that a schema may refer to itself.
	place := mapping()
	put(used, name, place)
	if slices.Contains(outlined, name) {
		put(place, "type", scalar("object"))
		return here, nil
	}
	reference := mapping()
	put(reference, "$ref", to)
	target, err := s.resolved(reference)
	if err != nil {
		return nil, err
	}
	detached, err := s.detached(target, used)
	if err != nil {
		return nil, err
	}
	*place = *detached
	if required := valueOf(place, "required"); required != nil {
		required.Content = slices.DeleteFunc(required.Content, func(n *yaml.Node) bool { return n.Value == omissible[name] })
	}
	return here, nil
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
