package pages

import (
	"html/template"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

// field is a row of a schema: a property, or one of several shapes.
type field struct {
	Name        string
	Type        string
	Required    bool
	Description template.HTML
	// Constraints describe the accepted values in words.
	Constraints []string
	Fields      []field
}

// fieldsOf are the properties of an object, of a list's items, or the shapes
// that a value may have.
func (d *referenceBuilder) fieldsOf(schema contract.Node) []field {
	schema = schema.Resolve(d.root)
	if items := schema.At("items"); items.Exists() {
		return d.fieldsOf(items)
	}
	var fields []field
	for _, part := range schema.At("allOf").Items() {
		fields = append(fields, d.fieldsOf(part)...)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, shape := range schema.At(key).Items() {
			if name := nameOf(shape); name != "" && shape.Resolve(d.root).At("properties").Exists() {
				fields = append(fields, d.field(name, shape, false))
			}
		}
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
		Name: name, Type: d.typeOf(schema), Required: required,
		Description: d.markdown(resolved.At("description").Text()),
		Constraints: d.constraints(resolved),
		Fields:      d.fieldsOf(schema),
	}
}

// typeOf describes a schema's type in words.
func (d *referenceBuilder) typeOf(schema contract.Node) string {
	resolved := schema.Resolve(d.root)
	var names []string
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, shape := range resolved.At(key).Items() {
			if name := d.typeOf(shape); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		return strings.Join(names, " or ")
	}
	for _, name := range resolved.At("type").Texts() {
		switch {
		case name == "array":
			name = "array of " + d.typeOf(resolved.At("items"))
		case name == "object" && nameOf(schema) != "":
			name = nameOf(schema)
		case name == "string" && resolved.At("format").Exists():
			name = resolved.At("format").Text()
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nameOf(schema)
	}
	return strings.Join(names, " or ")
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
