package pages

import (
	"html/template"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

// object is a named schema with properties. It has a page of its own.
type object struct {
	Name, Description string
	Fields            []field
	// UsedBy are the operations that return it.
	UsedBy  []operation
	Example contract.Node
}

// field is a row of a schema.
type field struct {
	Name, Description string
	// Type is in words, with links to objects.
	Type     template.HTML
	Required bool
	// Constraints describe the accepted values in words.
	Constraints []string
}

// fieldsOf are the properties of an object.
func (d *referenceBuilder) fieldsOf(schema contract.Node) []field {
	schema = schema.Resolve(d.root)
	var fields []field
	for _, part := range schema.At("allOf").Items() {
		fields = append(fields, d.fieldsOf(part)...)
	}
	required := schema.At("required").Texts()
	properties := schema.At("properties")
	for _, name := range properties.Keys() {
		fields = append(fields, d.field(name, properties.At(name), slices.Contains(required, name)))
	}
	return fields
}

func (d *referenceBuilder) field(name string, schema contract.Node, required bool) field {
	resolved := schema.Resolve(d.root)
	return field{
		Name: name, Type: d.typeOf(schema), Required: required, Description: resolved.At("description").Text(),
		Constraints: d.constraints(resolved),
	}
}

// typeOf describes a schema's type in words.
func (d *referenceBuilder) typeOf(schema contract.Node) template.HTML {
	resolved := schema.Resolve(d.root)
	if name := nameOf(schema); d.isObject(name) {
		return template.HTML(`<a href="` + name + `">` + name + `</a>`) //nolint:gosec // a name of the contract
	}
	var names []string
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, shape := range resolved.At(key).Items() {
			if name := string(d.typeOf(shape)); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range resolved.At("type").Texts() {
		switch {
		case len(names) > 0 && resolved.At("anyOf").Exists():
			continue
		case name == "array":
			name = "array of " + string(d.typeOf(resolved.At("items")))
		case name == "string" && resolved.At("format").Exists():
			name = resolved.At("format").Text()
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		names = []string{nameOf(schema)}
	}
	return template.HTML(strings.Join(names, " or ")) //nolint:gosec // words of the contract
}

// isObject reports whether a schema has a page: responses are on the pages of their
// operations.
func (d *referenceBuilder) isObject(name string) bool {
	schema := d.root.At("components", "schemas", name)
	return !strings.HasSuffix(name, "Response") && name != "" && (schema.At("properties").Exists() || schema.At("allOf").Exists()) ||
		name == "ErrorResponse"
}

// constraints describe a schema's limits in words.
func (d *referenceBuilder) constraints(schema contract.Node) []string {
	var facts []string
	if schema.At("items").Exists() {
		schema = schema.At("items").Resolve(d.root)
	}
	for _, shape := range schema.At("anyOf").Items() {
		facts = append(facts, d.constraints(shape.Resolve(d.root))...)
	}
	if values := schema.At("enum").Texts(); len(values) > 0 {
		facts = append(facts, "one of "+strings.Join(values, ", "))
	}
	for _, limit := range []struct{ key, words string }{
		{"const", "always "}, {"default", "default "}, {"minimum", "at least "}, {"maximum", "at most "},
		{"maxLength", "longest "}, {"pattern", "matches "},
	} {
		if v := schema.At(limit.key); v.Exists() {
			facts = append(facts, limit.words+v.Text())
		}
	}
	return facts
}

// nameOf is the name of the component that a schema refers to.
func nameOf(schema contract.Node) string {
	target := schema.At("$ref").Text()
	return target[strings.LastIndexByte(target, '/')+1:]
}
