// Package contract reads the contract's YAML in the order it was written, and converts it
// to the JSON that is served and to the JSON Schemas of its operations.
package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Node is a part of the contract. What is not there is the zero node, so that a path
// through the contract needs no checks.
type Node struct{ *yaml.Node }

// Read reads a contract's file.
func Read(path string) (Node, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Node{}, fmt.Errorf("reading the contract: %w", err)
	}
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return Node{}, fmt.Errorf("reading the contract: %w", err)
	}
	if len(file.Content) != 1 {
		return Node{}, errors.New("the contract is not one YAML document")
	}
	return Node{file.Content[0]}, nil
}

// Exists reports whether the contract has it.
func (n Node) Exists() bool { return n.Node != nil }

// At returns the node under these keys.
func (n Node) At(keys ...string) Node {
	for _, key := range keys {
		found := Node{}
		for i := 0; n.Exists() && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				found = Node{n.Content[i+1]}
			}
		}
		n = found
	}
	return n
}

// Keys are those of a mapping.
func (n Node) Keys() []string {
	var keys []string
	for i := 0; n.Exists() && n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		keys = append(keys, n.Content[i].Value)
	}
	return keys
}

// Items are those of a list.
func (n Node) Items() []Node {
	var items []Node
	if n.Exists() && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			items = append(items, Node{item})
		}
	}
	return items
}

// Text is a scalar as it reads, and anything else as JSON.
func (n Node) Text() string {
	if !n.Exists() {
		return ""
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	text, _ := n.JSON("")
	return string(text)
}

// Texts are the items of a list, or the one value that stands for a list.
func (n Node) Texts() []string {
	if !n.Exists() {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		return []string{n.Text()}
	}
	all := make([]string, len(n.Content))
	for i, item := range n.Items() {
		all[i] = item.Text()
	}
	return all
}

// Operation is one of a contract's.
type Operation struct {
	Node

	Path, Method string
}

// Operations are the contract's, in its order.
func (n Node) Operations() (all []Operation) {
	paths := n.At("paths")
	for _, path := range paths.Keys() {
		for _, method := range paths.At(path).Keys() {
			all = append(all, Operation{paths.At(path, method), path, method})
		}
	}
	return all
}

// Resolve replaces a reference by its target, and keeps the description beside the
// reference.
func (n Node) Resolve(root Node) Node {
	target := n.At("$ref").Text()
	if target == "" {
		return n
	}
	found := root.At(strings.Split(strings.TrimPrefix(target, "#/"), "/")...).Resolve(root)
	description := n.At("description")
	if !description.Exists() {
		return found
	}
	described := mapping()
	for _, key := range found.Keys() {
		if key != "description" {
			described.put(key, found.At(key))
		}
	}
	described.put("description", description)
	return described
}

// JSON is the node as JSON, on one line without an indent. The parts of YAML that the
// contract does not use are errors: aliases, keys that are not strings, unquoted dates.
func (n Node) JSON(indent string) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := n.write(&compact); err != nil || indent == "" {
		return compact.Bytes(), err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", indent); err != nil {
		return nil, err
	}
	return indented.Bytes(), nil
}

func (n Node) write(out *bytes.Buffer) error {
	brackets := map[yaml.Kind]string{yaml.MappingNode: "{}", yaml.SequenceNode: "[]"}[n.Kind]
	if brackets == "" {
		return n.writeScalar(out)
	}
	out.WriteByte(brackets[0])
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case isKey && (child.Kind != yaml.ScalarNode || child.ShortTag() != "!!str"):
			return fmt.Errorf("line %d of the contract: a key must be a string", child.Line)
		case i > 0 && n.Kind == yaml.MappingNode && !isKey:
			out.WriteByte(':')
		case i > 0:
			out.WriteByte(',')
		}
		if err := (Node{child}).write(out); err != nil {
			return err
		}
	}
	out.WriteByte(brackets[1])
	return nil
}

func (n Node) writeScalar(out *bytes.Buffer) error {
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str":
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false) // `<scope>` stays readable
		if err := encoder.Encode(n.Value); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1) // the encoder's newline
		return nil
	case n.Kind == yaml.ScalarNode && json.Valid([]byte(n.Value)):
		out.WriteString(n.Value)
		return nil
	default:
		return fmt.Errorf("line %d of the contract: %q has no JSON; quote it", n.Line, n.Value)
	}
}

func mapping() Node { return Node{&yaml.Node{Kind: yaml.MappingNode}} }

// put adds a key to a mapping. The value is a node, a text, a list of texts, a number or a
// boolean.
func (n Node) put(key string, value any) {
	node, ok := value.(Node)
	if !ok {
		node = Node{&yaml.Node{}}
		_ = node.Encode(value) // these can be encoded
	}
	n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, node.Node)
}

// copied copies a part of the contract. Of mappings it has what put adds to the copy of each
// key, but the names of properties, which may be those of keywords.
func (n Node) copied(put func(original, made Node, key string)) Node {
	if n.Kind != yaml.MappingNode {
		clone := *n.Node
		clone.Content = nil
		for _, child := range n.Content {
			clone.Content = append(clone.Content, Node{child}.copied(put).Node)
		}
		return Node{&clone}
	}
	made := mapping()
	for _, key := range n.Keys() {
		if key != "properties" {
			put(n, made, key)
			continue
		}
		properties := mapping()
		for _, name := range n.At(key).Keys() {
			properties.put(name, n.At(key, name).copied(put))
		}
		made.put(key, properties)
	}
	return made
}

// NumberProperties says in each property of a component which one of its schema it is.
func (n Node) NumberProperties() {
	schemas := n.At("components", "schemas")
	for _, name := range schemas.Keys() {
		properties := schemas.At(name, "properties")
		for i, property := range properties.Keys() {
			properties.At(property).put("x-order", i+1)
		}
	}
}
