package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
// JSON Schema of its arguments and one of its result. Each schema holds all that it refers
// to, and little text: agents pay for what they read. Keys have the contract's order.
func Tools(document *yaml.Node, texts []byte) ([]byte, error) {
	var declared tools
	if err := yaml.Unmarshal(texts, &declared); err != nil {
		return nil, fmt.Errorf("reading the tools: %w", err)
	}
	s := &schemas{document: document}
	var made []tool
	for _, t := range declared.Tools {
		operation := s.operation(t.Operation)
		if operation == nil {
			return nil, fmt.Errorf("%s: the contract has no operation %s", t.Name, t.Operation)
		}
		input, err := s.parameters(operation, declared.Arguments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		for _, name := range t.Flags {
			flag := declared.Flags[name]
			property := mapping()
			put(property, "type", scalar("boolean"))
			put(property, "default", boolean(flag.Default))
			put(property, "description", scalar(flag.Description))
			put(valueOf(input, "properties"), name, property)
		}
		output, err := s.response(operation, t.Absent+" "+declared.EveryAnswer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		one := tool{Operation: t.Operation, Narrower: t.Narrower, Flags: t.Flags, Integers: []string{}, Texts: []string{}}
		one.Tool = declaration{Name: t.Name, Title: t.Title, Description: t.Use + " " + declared.EveryTool}
		one.Tool.Annotations = json.RawMessage(`{"readOnlyHint":true,"idempotentHint":true,"destructiveHint":false,"openWorldHint":false}`)
		if one.Tool.InputSchema, err = compact(input); err != nil {
			return nil, err
		}
		if one.Tool.OutputSchema, err = compact(output); err != nil {
			return nil, err
		}
		properties := valueOf(input, "properties").Content
		for i := 0; i+1 < len(properties); i += 2 {
			switch name, schema := properties[i].Value, properties[i+1]; {
			case text(schema, "type") == "integer":
				one.Integers = append(one.Integers, name)
			case valueOf(schema, "minLength") != nil:
				one.Texts = append(one.Texts, name)
			}
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

type schemas struct{ document *yaml.Node }

// operation returns an operation by its id, nil if there is none.
func (s *schemas) operation(id string) *yaml.Node {
	paths := contentOf(valueOf(s.document, "paths"))
	for i := 1; i < len(paths); i += 2 {
		for j := 1; j < len(paths[i].Content); j += 2 {
			if operation := paths[i].Content[j]; text(operation, "operationId") == id {
				return operation
			}
		}
	}
	return nil
}

// parameters is the schema of an operation's query parameters, as an object with
// a property for each parameter.
func (s *schemas) parameters(operation *yaml.Node, descriptions map[string]string) (*yaml.Node, error) {
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
		if shorter := descriptions[text(operation, "operationId")+"."+text(parameter, "name")]; shorter != "" {
			valueOf(property, "description").Value = shorter
		} else if shorter := descriptions[text(parameter, "name")]; shorter != "" {
			valueOf(property, "description").Value = shorter
		}
		put(properties, text(parameter, "name"), property)
		if text(parameter, "required") == "true" {
			required.Content = append(required.Content, scalar(text(parameter, "name")))
		}
	}
	schema := mapping()
	put(schema, "type", scalar("object"))
	put(schema, "additionalProperties", boolean(false))
	if len(required.Content) > 0 {
		put(schema, "required", required)
	}
	put(schema, "properties", properties)
	return schema, nil
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

// bounds are the keys of a response's schema that tell an agent nothing.
var bounds = []string{"minimum", "minItems", "minLength", "additionalProperties"}

// outlined are the schemas that tools describe in part, with the properties that an agent
// acts on.
var outlined = map[string][]string{
	"Meta":                   {"count", "has_more", "next_cursor", "measurement_total_count", "measurement_omitted_fields"},
	"Campaign":               {"id", "slug", "display_name", "campaign_brief", "goal", "key_questions", "active", "launch_status"},
	"SynthesisDocumentRow":   {"id", "synthesis_type", "document", "feed_date", "updated_at"},
	"PublishedSynthesisBody": {"schema"},
	"Interview": {
		"id", "conversation_goal_id", "participant_name", "participant_email", "interview_type", "status", "duration_seconds",
		"nps_score", "customer_sentiment", "churn_risk", "best_quote", "transcript", "custom_extraction", "created_at",
	},
}

// response is the schema of an operation's 200 body. Schemas that it refers to are
// in $defs, in the order of their first reference.
func (s *schemas) response(operation *yaml.Node, description string) (*yaml.Node, error) {
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
	put(valueOf(root, "properties"), "hints", texts())
	put(root, "$defs", used)
	put(root, "description", scalar(description))
	return root, nil
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
		case slices.Contains(prose, key), slices.Contains(bounds, key):
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
	reference := mapping()
	put(reference, "$ref", to)
	target, err := s.resolved(reference)
	if err != nil {
		return nil, err
	}
	if kept, ok := outlined[name]; ok {
		target = outline(target, kept)
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

// outline is an object's schema with some of its properties.
func outline(schema *yaml.Node, kept []string) *yaml.Node {
	outlined, properties, required := mapping(), mapping(), sequence()
	for _, name := range kept {
		put(properties, name, valueOf(valueOf(schema, "properties"), name))
		if slices.ContainsFunc(contentOf(valueOf(schema, "required")), func(n *yaml.Node) bool { return n.Value == name }) {
			required.Content = append(required.Content, scalar(name))
		}
	}
	put(outlined, "type", scalar("object"))
	if len(required.Content) > 0 {
		put(outlined, "required", required)
	}
	if len(kept) > 0 {
		put(outlined, "properties", properties)
	}
	return outlined
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

// texts is the schema of a list of texts.
func texts() *yaml.Node {
	item, list := mapping(), mapping()
	put(item, "type", scalar("string"))
	put(list, "type", scalar("array"))
	put(list, "items", item)
	return list
}

func boolean(value bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}
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
