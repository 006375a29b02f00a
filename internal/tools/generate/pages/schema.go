package pages

import (
	"html/template"
	"slices"
	"strings"
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
func (d *referenceBuilder) fieldsOf(schema node) []field {
	schema = schema.resolve(d.root)
	if items := schema.at("items"); items.exists() {
		return d.fieldsOf(items)
	}
	var fields []field
	for _, part := range schema.at("allOf").items {
		fields = append(fields, d.fieldsOf(part)...)
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, shape := range schema.at(key).items {
			if name := nameOf(shape); name != "" && shape.resolve(d.root).at("properties").exists() {
				fields = append(fields, d.field(name, shape, false))
			}
		}
	}
	required := schema.at("required").texts()
	properties := schema.at("properties")
	for _, name := range properties.keys {
		fields = append(fields, d.field(name, properties.at(name), slices.Contains(required, name)))
	}
	return fields
}

func (d *referenceBuilder) field(name string, schema node, required bool) field {
	resolved := schema.resolve(d.root)
	return field{
		Name: name, Type: d.typeOf(schema), Required: required,
		Description: d.markdown(resolved.at("description").text()),
		Constraints: d.constraints(resolved),
		Fields:      d.fieldsOf(schema),
	}
}

// typeOf describes a schema's type in words.
func (d *referenceBuilder) typeOf(schema node) string {
	resolved := schema.resolve(d.root)
	var names []string
	for _, key := range []string{"oneOf", "anyOf"} {
		for _, shape := range resolved.at(key).items {
			if name := d.typeOf(shape); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) > 0 {
		return strings.Join(names, " or ")
	}
	for _, name := range resolved.at("type").texts() {
		switch {
		case name == "array":
			name = "array of " + d.typeOf(resolved.at("items"))
		case name == "object" && nameOf(schema) != "":
			name = nameOf(schema)
		case name == "string" && resolved.at("format").exists():
			name = resolved.at("format").text()
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nameOf(schema)
	}
	return strings.Join(names, " or ")
}

// constraints describe a schema's limits in words.
func (d *referenceBuilder) constraints(schema node) []string {
	var facts []string
	if schema.at("items").exists() {
		schema = schema.at("items").resolve(d.root)
	}
	for _, shape := range schema.at("anyOf").items {
		facts = append(facts, d.constraints(shape.resolve(d.root))...)
	}
	if values := schema.at("enum").texts(); len(values) > 0 {
		facts = append(facts, "one of "+strings.Join(values, ", "))
	}
	for _, limit := range []struct{ key, words string }{
		{"const", "always "}, {"default", "default "}, {"minimum", "at least "}, {"maximum", "at most "},
		{"maxLength", "longest "}, {"pattern", "matches "},
	} {
		if v := schema.at(limit.key); v.exists() {
			facts = append(facts, limit.words+v.text())
		}
	}
	return facts
}

// nameOf is the name of the component that a schema refers to.
func nameOf(schema node) string {
	target := schema.at("$ref").text()
	return target[strings.LastIndexByte(target, '/')+1:]
}
