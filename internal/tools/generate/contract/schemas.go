package contract

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

type schemas struct{ document Node }

// operation returns an operation by its id.
func (s schemas) operation(id string) Node {
	for _, o := range s.document.Operations() {
		if o.At("operationId").Text() == id {
			return o.Node
		}
	}
	return Node{}
}

// parameters is the schema of an operation's query parameters, as an object with a
// property for each. Some have shorter descriptions than the contract's.
func (s schemas) parameters(operation Node, shorter map[string]string) Node {
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
		description := opening(strings.Join(strings.Fields(parameter.At("description").Text()), " "))
		for _, key := range []string{name, operation.At("operationId").Text() + "." + name} {
			if shorter[key] != "" {
				description = shorter[key]
			}
		}
		property.put("description", description)
		properties.put(name, property)
		if parameter.At("required").Text() == "true" {
			required = append(required, name)
		}
	}
	schema := mapping()
	schema.put("type", "object")
	schema.put("additionalProperties", false)
	if len(required) > 0 {
		schema.put("required", required)
	}
	schema.put("properties", properties)
	return schema
}

// response is the schema of an operation's 200 body and a tool's hints. Schemas that it
// refers to are in $defs, in the order of their first reference.
func (s schemas) response(operation Node, description string) Node {
	body := operation.At("responses", "200").Resolve(s.document).At("content", "application/json", "schema")
	used := mapping()
	root := s.detached(body.Resolve(s.document), used)
	hints := mapping()
	hints.put("type", "array")
	hints.put("items", map[string]string{"type": "string"})
	root.At("properties").put("hints", hints)
	root.put("$defs", used)
	root.put("description", description)
	return root
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

// outline is an object's schema with some of its properties.
func outline(schema Node, kept []string) Node {
	short, properties := mapping(), mapping()
	var required []string
	for _, name := range kept {
		properties.put(name, schema.At("properties", name))
		if slices.Contains(schema.At("required").Texts(), name) {
			required = append(required, name)
		}
	}
	short.put("type", "object")
	short.put("required", required)
	short.put("properties", properties)
	return short
}

// detached copies a schema without its prose. Its references point to $defs in the copy,
// and their targets are added to used.
func (s schemas) detached(n, used Node) Node {
	var put func(n, made Node, key string)
	put = func(n, made Node, key string) {
		switch {
		case slices.Contains(prose, key), slices.Contains(bounds, key):
		case key == "$ref":
			made.put(key, s.reference(n, used))
		default:
			made.put(key, n.At(key).copied(put))
		}
	}
	return n.copied(put)
}

// reference is that of a node to a schema in $defs, to which the schema is added.
func (s schemas) reference(n, used Node) string {
	name := path.Base(n.At("$ref").Text())
	here := "#/$defs/" + name
	if used.At(name).Exists() {
		return here
	}
	// Added before its copy is complete, so that a schema may refer to itself.
	place := mapping()
	used.put(name, place)
	target := s.document.At("components", "schemas", name).Resolve(s.document)
	if kept, ok := outlined[name]; ok {
		target = outline(target, kept)
	}
	*place.Node = *s.detached(target, used).Node
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
