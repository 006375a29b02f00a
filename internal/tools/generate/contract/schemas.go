package contract

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schemas returns the JSON Schemas of every operation for tools, by its id: one of its
// query parameters and one of its 200 body, but for what is omissible. Each has all that it
// refers to, and little text: agents pay for what they read.
func Schemas(document Node) ([]byte, error) {
	s := schemas{document}
	var all []string
	paths := document.At("paths")
	for _, path := range paths.Keys() {
		for _, method := range paths.At(path).Keys() {
			operation := paths.At(path, method)
			parameters, err := s.parameters(operation).JSON("")
			if err != nil {
				return nil, err
			}
			body := operation.At("responses", "200").Resolve(document).At("content", "application/json", "schema")
			if !body.Exists() {
				return nil, fmt.Errorf("%s has no 200 body", path)
			}
			used := mapping()
			root := s.detached(body.Resolve(document), used)
			root.put("$defs", used)
			response, err := root.JSON("")
			if err != nil {
				return nil, err
			}
			all = append(all, fmt.Sprintf("%q: {\n\"parameters\": %s,\n\"answer\": %s}", operation.At("operationId").Text(), parameters, response))
		}
	}
	return []byte("{\n" + strings.Join(all, ",\n") + "\n}\n"), nil
}

type schemas struct{ document Node }

// parameters is the schema of an operation's query parameters, as an object with a
// property for each.
func (s schemas) parameters(operation Node) Node {
	properties := mapping()
	var required []string
	for _, item := range operation.At("parameters").Items() {
		parameter := item.Resolve(s.document)
		name := parameter.At("name").Text()
		if parameter.At("in").Text() != "query" {
			continue
		}
		schema, property := parameter.At("schema").Resolve(s.document), mapping()
		for _, key := range schema.Keys() {
			if !slices.Contains(prose, key) {
				property.put(key, schema.At(key))
			}
		}
		property.put("description", scalar(opening(strings.Join(strings.Fields(parameter.At("description").Text()), " "))))
		properties.put(name, property)
		if parameter.At("required").Text() == "true" {
			required = append(required, name)
		}
	}
	schema := mapping()
	schema.put("type", scalar("object"))
	schema.put("additionalProperties", Node{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "false"}})
	if len(required) > 0 {
		schema.put("required", list(required...))
	}
	schema.put("properties", properties) // last, so that a tool can add its own
	return schema
}

// opening is the first sentence of a description, and the next after a short one.
func opening(description string) string {
	const short = 30
	sentences := strings.SplitAfter(description, ". ")
	if len(sentences[0]) <= short+1 && len(sentences) > 1 {
		return strings.TrimSuffix(sentences[0]+sentences[1], " ")
	}
	return strings.TrimSuffix(sentences[0], " ")
}

// prose are the keys of a schema whose values no program checks.
var prose = []string{"description", "example", "examples", "format", "pattern"}

// omissible are the required properties that a tool's result may lack, by schema.
var omissible = map[string]string{"InterviewAnalytics": "rows"}

// outlined are the schemas that tools describe as objects only. In a response each names
// its own schema.
var outlined = []string{"MeasurementQueryBasis", "SavedMeasurementBasis"}

// detached copies a schema without its prose. Its references point to $defs in the copy,
// and their targets are added to used.
func (s schemas) detached(n, used Node) Node {
	if n.Kind != yaml.MappingNode {
		clone := *n.Node
		clone.Content = nil
		for _, child := range n.Content {
			clone.Content = append(clone.Content, s.detached(Node{child}, used).Node)
		}
		return Node{&clone}
	}
	clone := mapping()
	for _, key := range n.Keys() {
		switch value := n.At(key); {
		case slices.Contains(prose, key):
		case key == "$ref":
			clone.put(key, s.reference(n, used))
		case key == "properties": // any of which may have a name of prose
			properties := mapping()
			for _, name := range value.Keys() {
				properties.put(name, s.detached(value.At(name), used))
			}
			clone.put(key, properties)
		default:
			clone.put(key, s.detached(value, used))
		}
	}
	return clone
}

// reference is that of a node to a schema in $defs, to which the schema is added.
func (s schemas) reference(n, used Node) Node {
	name := path.Base(n.At("$ref").Text())
	here := scalar("#/$defs/" + name)
	if used.At(name).Exists() {
		return here
	}
	// Added before its copy is complete, so that a schema may refer to itself.
	place := mapping()
	used.put(name, place)
	if slices.Contains(outlined, name) {
		place.put("type", scalar("object"))
		return here
	}
	*place.Node = *s.detached(s.document.At("components", "schemas", name).Resolve(s.document), used).Node
	if required := place.At("required"); required.Exists() {
		required.Content = slices.DeleteFunc(required.Content, func(n *yaml.Node) bool { return n.Value == omissible[name] })
	}
	return here
}

// PythonColumns returns the Python client's module of columns: the fields of each list's
// rows, in the contract's order, and what kind of value each has.
func PythonColumns(document Node) []byte {
	out := bytes.NewBufferString(`"""The columns of the lists, and what kind of value each holds. Made from the contract, not edited."""

TABLES: dict[str, dict[str, str]] = {
`)
	for _, table := range [][2]string{{"interviews", "Interview"}, {"campaigns", "Campaign"}, {"synthesis", "SynthesisDocumentRow"}} {
		fmt.Fprintf(out, "    %q: {\n", table[0])
		fields := document.At("components", "schemas", table[1], "properties")
		for _, name := range fields.Keys() {
			fmt.Fprintf(out, "        %q: %q,\n", name, pythonKind(fields.At(name).Resolve(document)))
		}
		out.WriteString("    },\n")
	}
	out.WriteString("}\n")
	return out.Bytes()
}

// pythonKind is what the Python client calls a field's type.
func pythonKind(schema Node) string {
	if kind := map[string]string{"date-time": "time", "date": "date"}[schema.At("format").Text()]; kind != "" {
		return kind
	}
	for _, name := range schema.At("type").Texts() {
		if kind := map[string]string{"number": "number", "boolean": "boolean", "string": "text"}[name]; kind != "" {
			return kind
		}
	}
	return "json"
}
