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
	made := document.copied(downgrade)
	info := made.At("info")
	*made.At("openapi").Node = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: "3.0.3"}
	info.At("description").Value = shortDescription
	license := info.At("license")
	name := license.At("name")
	*license.Node = *mapping().Node
	license.put("name", name)
	license.put("url", "https://www.apache.org/licenses/LICENSE-2.0")
	item := made.At("components", "schemas", "SynthesisItem")
	*item.Node = *mapping().Node
	item.put("type", "object")
	item.put("description", "A SynthesisDocumentRow in collection mode, a PublishedSynthesisBody in portal mode.")
	item.put("additionalProperties", true)
	return made
}

// downgrade writes a key as 3.0 has it.
func downgrade(n, made Node, key string) {
	value := n.At(key)
	switch {
	case n.At("$ref").Exists() && key != "$ref": // nothing may stand beside it
	case key == "type" && value.Kind == yaml.SequenceNode:
		made.put(key, value.Items()[0])
		made.put("nullable", slices.Contains(value.Texts(), "null"))
	case key == "const":
		made.put("enum", []any{value.Node})
	case key == "examples" && value.Kind == yaml.SequenceNode:
		made.put("example", value.Items()[0])
	case key == "not": // of a boolean that is always false
	case key == "summary" && n.At("license").Exists(): // of the contract itself: 3.1 only
	case key == "value" || key == "example": // data, whatever its names
		made.put(key, value)
	default:
		made.put(key, value.copied(downgrade))
	}
}
