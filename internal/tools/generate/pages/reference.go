package pages

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

// reference is the contract, laid out for reading. Descriptions are Markdown.
type reference struct {
	Title, Version, Summary string
	Intro                   template.HTML
	Sections                []section
	Groups                  []group
	Objects                 []object
	Errors                  []problem
}

type group struct {
	Name       string
	Operations []operation
}

type operation struct {
	ID, Method, Path, Summary, Description string

	Scopes     []string
	Public     bool
	Parameters []parameter
	// Response is the 200.
	Response response
	Errors   []operationError
}

type parameter struct {
	field

	In      string
	Values  []string
	Example string
}

type response struct {
	Description     string
	Fields, Headers []field
	// Data is the object that the response is about.
	Data     *object
	Examples []example
}

type example struct {
	Title string
	Value contract.Node
}

type operationError struct {
	Status, Code, Meaning string
	Example               contract.Node
}

// referenceBuilder turns the contract into a reference.
type referenceBuilder struct {
	root contract.Node
	// examples are the fullest value of each object, and users the operations that return it.
	examples map[string]contract.Node
	users    map[string][]operation
}

func buildReference(root contract.Node) (reference, error) {
	d := &referenceBuilder{root: root, examples: map[string]contract.Node{}, users: map[string][]operation{}}
	info := root.At("info")
	description := info.At("description").Text()
	r := reference{Title: info.At("title").Text(), Version: info.At("version").Text(), Summary: info.At("summary").Text()}
	var err error
	if r.Intro, r.Sections, err = renderMarkdown(description); err != nil {
		return r, err
	}
	for _, tag := range root.At("tags").Items() {
		made := group{Name: tag.At("name").Text()}
		for _, o := range root.Operations() {
			if tags := o.At("tags").Texts(); len(tags) > 0 && tags[0] == made.Name {
				made.Operations = append(made.Operations, d.operation(o))
			}
		}
		r.Groups = append(r.Groups, made)
	}
	if r.Errors, err = problemsOf(description, r.operations()); err != nil {
		return r, err
	}
	for _, name := range root.At("components", "schemas").Keys() {
		if d.isObject(name) {
			made := d.object(name)
			made.UsedBy, made.Example = d.users[name], d.examples[name]
			r.Objects = append(r.Objects, made)
		}
	}
	return r, nil
}

func (r reference) operations() (all []operation) {
	for _, g := range r.Groups {
		all = append(all, g.Operations...)
	}
	return all
}

func (d *referenceBuilder) object(name string) object {
	schema := d.root.At("components", "schemas", name)
	return object{Name: name, Description: schema.At("description").Text(), Fields: d.fieldsOf(schema)}
}

func (d *referenceBuilder) operation(o contract.Operation) operation {
	made := operation{
		ID: o.At("operationId").Text(), Method: strings.ToUpper(o.Method), Path: o.Path, Summary: o.At("summary").Text(),
		Description: o.At("description").Text(), Public: true,
	}
	for _, alternative := range o.At("security").Items() {
		for _, scheme := range alternative.Keys() {
			made.Public = false
			made.Scopes = append(made.Scopes, alternative.At(scheme).Texts()...)
		}
	}
	for _, p := range o.At("parameters").Items() {
		made.Parameters = append(made.Parameters, d.parameter(p.Resolve(d.root)))
	}
	for _, status := range o.At("responses").Keys() {
		r := o.At("responses", status).Resolve(d.root)
		if status == "200" {
			d.addResponse(&made, r)
		} else {
			d.addErrors(&made, status, r)
		}
	}
	return made
}

func (d *referenceBuilder) parameter(p contract.Node) parameter {
	example := p.At("example").Text()
	if examples := p.At("examples"); example == "" && len(examples.Keys()) > 0 {
		example = examples.At(examples.Keys()[0]).Resolve(d.root).At("value").Text()
	}
	return parameter{
		field: d.described(p.At("name").Text(), p), In: p.At("in").Text(),
		Values: p.At("schema").Resolve(d.root).At("enum").Texts(), Example: example,
	}
}

// described is the field of a parameter or a header.
func (d *referenceBuilder) described(name string, n contract.Node) field {
	made := d.field(name, n.At("schema"), n.At("required").Text() == "true")
	made.Description = n.At("description").Text()
	return made
}

// addErrors adds the errors that examples of a status name.
func (d *referenceBuilder) addErrors(o *operation, status string, r contract.Node) {
	body := r.At("content", "application/json")
	examples := body.At("examples")
	for _, name := range examples.Keys() {
		value := examples.At(name).Resolve(d.root).At("value")
		if code := value.At("code").Text(); code != "" {
			o.Errors = append(o.Errors, operationError{Status: status, Code: code, Example: value})
		}
		d.collect(body.At("schema"), value, nil)
	}
	if len(examples.Keys()) == 0 {
		o.Errors = append(o.Errors, operationError{Status: status, Meaning: r.At("description").Text()})
	}
}

func (d *referenceBuilder) addResponse(o *operation, r contract.Node) {
	body := r.At("content", "application/json")
	examples := body.At("examples")
	for _, name := range examples.Keys() {
		e := examples.At(name).Resolve(d.root)
		title := cmp.Or(e.At("summary").Text(), strings.ReplaceAll(name, "_", " "))
		o.Response.Examples = append(o.Response.Examples, example{Title: title, Value: e.At("value")})
		d.collect(body.At("schema"), e.At("value"), o)
	}
	schema := body.At("schema").Resolve(d.root)
	o.Response.Description, o.Response.Fields = r.At("description").Text(), d.fieldsOf(schema)
	data := schema.At("properties", "data")
	if items := data.Resolve(d.root).At("items"); items.Exists() {
		data = items
	}
	if fields := data.Resolve(d.root).At("properties"); len(fields.Keys()) == 1 {
		data = fields.At(fields.Keys()[0])
	}
	if name := nameOf(data); d.isObject(name) {
		o.Response.Data = new(d.object(name))
	}
	headers := r.At("headers")
	for _, name := range headers.Keys() {
		o.Response.Headers = append(o.Response.Headers, d.described(name, headers.At(name).Resolve(d.root)))
	}
}

// collect notes which objects a value of a response has, and the operation that returns
// them, if it is no error. Of those of one kind the fullest is the object's example.
func (d *referenceBuilder) collect(schema, value contract.Node, o *operation) {
	name, schema := nameOf(schema), schema.Resolve(d.root)
	if d.isObject(name) {
		if len(value.Keys()) > len(d.examples[name].Keys()) {
			d.examples[name] = value
		}
		if known := d.users[name]; o != nil && (len(known) == 0 || known[len(known)-1].ID != o.ID) {
			d.users[name] = append(known, *o)
		}
	}
	for _, part := range slices.Concat(schema.At("allOf").Items(), schema.At("oneOf").Items(), schema.At("anyOf").Items()) {
		isMissing := func(name string) bool { return !value.At(name).Exists() }
		if !slices.ContainsFunc(part.Resolve(d.root).At("required").Texts(), isMissing) {
			d.collect(part, value, o)
		}
	}
	properties := schema.At("properties")
	for _, property := range properties.Keys() {
		if inside := value.At(property); inside.Exists() {
			d.collect(properties.At(property), inside, o)
		}
	}
	for _, item := range value.Items() {
		d.collect(schema.At("items"), item, o)
	}
}
