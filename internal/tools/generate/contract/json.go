package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Parse reads the contract's YAML.
func Parse(text []byte) (*yaml.Node, error) {
	var file yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("reading the contract: %w", err)
	}
	if len(file.Content) != 1 {
		return nil, errors.New("the contract is not one YAML document")
	}
	return file.Content[0], nil
}

// JSON returns the contract as indented JSON, with keys in the order of the YAML.
func JSON(document *yaml.Node) ([]byte, error) {
	var compact, indented bytes.Buffer
	if err := writeJSON(&compact, document); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "  "); err != nil {
		return nil, fmt.Errorf("indenting the contract: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// writeJSON converts the parts of YAML that the contract uses. The others
// (aliases, unquoted dates, keys that are not strings) are errors.
func writeJSON(out *bytes.Buffer, node *yaml.Node) error {
	switch node.Kind {
	case yaml.MappingNode:
		return writeObject(out, node)
	case yaml.SequenceNode:
		return writeArray(out, node)
	case yaml.ScalarNode:
		return writeScalar(out, node)
	default:
		return fmt.Errorf("line %d of the contract: aliases have no JSON", node.Line)
	}
}

func writeObject(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('{')
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str" {
			return fmt.Errorf("line %d of the contract: a key must be a string", key.Line)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeString(out, key.Value); err != nil {
			return err
		}
		out.WriteByte(':')
		if err := writeJSON(out, node.Content[i+1]); err != nil {
			return err
		}
	}
	out.WriteByte('}')
	return nil
}

func writeArray(out *bytes.Buffer, node *yaml.Node) error {
	out.WriteByte('[')
	for i, item := range node.Content {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := writeJSON(out, item); err != nil {
			return err
		}
	}
	out.WriteByte(']')
	return nil
}

func writeScalar(out *bytes.Buffer, node *yaml.Node) error {
	switch tag := node.ShortTag(); tag {
	case "!!str":
		return writeString(out, node.Value)
	case "!!null":
		out.WriteString("null")
	case "!!bool", "!!int", "!!float":
		// Some YAML booleans and numbers are not valid JSON.
		if !json.Valid([]byte(node.Value)) {
			return fmt.Errorf("line %d of the contract: %s is not JSON", node.Line, node.Value)
		}
		out.WriteString(node.Value)
	default:
		return fmt.Errorf("line %d of the contract: quote %s, which YAML reads as %s", node.Line, node.Value, tag)
	}
	return nil
}

func writeString(out *bytes.Buffer, text string) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false) // `<scope>` stays readable
	if err := encoder.Encode(text); err != nil {
		return fmt.Errorf("encoding a string of the contract: %w", err)
	}
	out.Truncate(out.Len() - 1) // the encoder's newline
	return nil
}
