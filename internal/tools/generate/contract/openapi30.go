package contract

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

const shortDescription = "Read-only access to one client's published synthesis, campaigns, interviews, analytics and search. " +
	"This is /api/client/v1/openapi.json for programs that read OpenAPI 3.0 only; that document has all the explanations, " +
	"and tells the two shapes of synthesis apart."

// OpenAPI30 is the contract as OpenAPI 3.0.3, for generators and importers that read no
// 3.1, or stumble over a union: the items of synthesis are objects of any shape.
func OpenAPI30(document Node) Node {
	made := mapping()
	for _, key := range document.Keys() {
		value := document.At(key)
		switch key {
		case "openapi":
			value = scalar("3.0.3")
		case "info":
			value = info30(value)
		default:
			value = downgrade(value)
		}
		made.put(key, value)
	}
	item := made.At("components", "schemas", "SynthesisItem")
	*item.Node = *mapping().Node
	item.put("type", scalar("object"))
	item.put("description", scalar("A SynthesisDocumentRow in collection mode, a PublishedSynthesisBody in portal mode."))
	item.put("additionalProperties", boolean(true))
	return made
}

func info30(info Node) Node {
	made, license := mapping(), mapping()
	license.put("name", info.At("license", "name"))
	license.put("url", scalar("https://www.apache.org/licenses/LICENSE-2.0"))
	for _, key := range info.Keys() {
		switch key {
		case "summary": // 3.1 only
		case "description":
			made.put(key, scalar(shortDescription))
		case "license":
			made.put(key, license)
		default:
			made.put(key, info.At(key))
		}
	}
	return made
}

// downgrade copies a part of the contract and writes its schemas as 3.0 has them.
func downgrade(n Node) Node {
	if n.Kind != yaml.MappingNode {
		clone := *n.Node
		clone.Content = nil
		for _, child := range n.Content {
			clone.Content = append(clone.Content, downgrade(Node{child}).Node)
		}
		return Node{&clone}
	}
	made := mapping()
	if reference := n.At("$ref"); reference.Exists() { // nothing may stand beside it
		made.put("$ref", reference)
		return made
	}
	for _, key := range n.Keys() {
		value := n.At(key)
		switch {
		case key == "properties": // any of which may have a keyword's name
			properties := mapping()
			for _, name := range value.Keys() {
				properties.put(name, downgrade(value.At(name)))
			}
			made.put(key, properties)
		case key == "type" && value.Kind == yaml.SequenceNode:
			made.put(key, value.Items()[0])
			made.put("nullable", boolean(slices.Contains(value.Texts(), "null")))
		case key == "const":
			made.put("enum", Node{&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{value.Node}}})
		case key == "examples" && value.Kind == yaml.SequenceNode:
			made.put("example", value.Items()[0])
		case key == "not": // of a boolean that is always false
		case key == "value" || key == "example": // data, whatever its names
			made.put(key, value)
		default:
			made.put(key, downgrade(value))
		}
	}
	return made
}
