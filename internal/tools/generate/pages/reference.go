package pages

import (
	"html/template"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

// reference is the contract, laid out for reading.
type reference struct {
	Title, Version, Summary string
	Intro                   template.HTML
	Sections                []section
	Groups                  []group
	Objects                 []object
	Errors                  []problem
}

type group struct {
	Name, Description string
	Operations        []operation
}

type operation struct {
	ID, Method, Path, Summary string
	Description               template.HTML
	// Words are the description as text, for the search.
	Words      string
	Scopes     []string
	Public     bool
	Parameters []parameter
	// Response is the 200.
	Response response
	Errors   []operationError
	Statuses []string
	// URL is that of a first request, which Samples send.
	URL     string
	Samples []sample
}

type parameter struct {
	field

	In      string
	Values  []string
	Example string
}

type response struct {
	Description     template.HTML
	Fields, Headers []field
	// Data is the object that the response is about.
	Data     *object
	Examples []example
}

type example struct {
	Title string
	Text  template.HTML
}

type operationError struct {
	Status, Code     string
	Meaning, Example template.HTML
}

// referenceBuilder turns the contract into a reference, and keeps the first error.
type referenceBuilder struct {
	root contract.Node
	err  error
	// examples are the fullest value of each object, and users the operations that return it.
	examples map[string]contract.Node
	users    map[string][]operation
}

func (d *referenceBuilder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

func buildReference(root contract.Node) (reference, error) {
	d := &referenceBuilder{root: root, examples: map[string]contract.Node{}, users: map[string][]operation{}}
	info := root.At("info")
	description := info.At("description").Text()
	intro, sections, err := renderMarkdown(description)
	if err != nil {
		return reference{}, err
	}
	r := reference{
		Title: info.At("title").Text(), Version: info.At("version").Text(), Summary: info.At("summary").Text(),
		Intro: intro, Sections: sections,
	}
	for _, tag := range root.At("tags").Items() {
		name := tag.At("name").Text()
		r.Groups = append(r.Groups, group{Name: name, Description: tag.At("description").Text(), Operations: d.operations(name)})
	}
	r.Errors = d.problemsOf(description, r.Groups)
	for _, name := range root.At("components", "schemas").Keys() {
		if d.isObject(name) {
			made := d.object(name)
			made.UsedBy, made.Example = d.users[name], d.json(d.examples[name])
			r.Objects = append(r.Objects, made)
		}
	}
	return r, d.err
}

func (d *referenceBuilder) object(name string) object {
	schema := d.root.At("components", "schemas", name)
	return object{Name: name, Description: d.markdown(schema.At("description").Text()), Fields: d.fieldsOf(schema)}
}

// operations are those of a tag, in the order of the contract.
func (d *referenceBuilder) operations(tag string) []operation {
	var found []operation
	paths := d.root.At("paths")
	for _, path := range paths.Keys() {
		for _, method := range paths.At(path).Keys() {
			if o := paths.At(path, method); len(o.At("tags").Items()) > 0 && o.At("tags").Items()[0].Text() == tag {
				found = append(found, d.operation(path, method, o))
			}
		}
	}
	return found
}

func (d *referenceBuilder) operation(path, method string, o contract.Node) operation {
	words := o.At("description").Text()
	made := operation{
		ID: o.At("operationId").Text(), Method: strings.ToUpper(method), Path: path, Summary: o.At("summary").Text(),
		Description: d.markdown(words), Words: words, Public: true, Statuses: o.At("responses").Keys(),
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
	first := requestOf(made)
	made.URL = first.URL
	samples, err := samplesOf(first)
	if err != nil {
		d.fail(err)
	}
	made.Samples = samples
	for _, status := range made.Statuses {
		d.addResponse(&made, status, o.At("responses", status).Resolve(d.root))
	}
	return made
}

func (d *referenceBuilder) parameter(p contract.Node) parameter {
	example := p.At("example").Text()
	if examples := p.At("examples"); example == "" && len(examples.Keys()) > 0 {
		example = examples.At(examples.Keys()[0]).Resolve(d.root).At("value").Text()
	}
	schema := p.At("schema").Resolve(d.root)
	made := parameter{
		field: d.field(p.At("name").Text(), p.At("schema"), p.At("required").Text() == "true"),
		In:    p.At("in").Text(), Values: schema.At("enum").Texts(), Example: example,
	}
	made.Words = p.At("description").Text()
	made.Description = d.markdown(made.Words)
	return made
}

// addResponse adds the 200, or the errors that examples of another status name.
func (d *referenceBuilder) addResponse(o *operation, status string, r contract.Node) {
	body := r.At("content", "application/json")
	examples := body.At("examples")
	for _, name := range examples.Keys() {
		e := examples.At(name).Resolve(d.root)
		text := d.json(e.At("value"))
		if status != "200" {
			if code := e.At("value", "code").Text(); code != "" {
				o.Errors = append(o.Errors, operationError{Status: status, Code: code, Example: text})
			}
			d.collect(body.At("schema"), e.At("value"), d.note(nil))
			continue
		}
		title := e.At("summary").Text()
		if title == "" {
			title = strings.ReplaceAll(name, "_", " ")
		}
		o.Response.Examples = append(o.Response.Examples, example{Title: title, Text: text})
		d.collect(body.At("schema"), e.At("value"), d.note(o))
	}
	if status != "200" {
		if len(examples.Keys()) == 0 {
			o.Errors = append(o.Errors, operationError{Status: status, Meaning: d.markdown(r.At("description").Text())})
		}
		return
	}
	schema := body.At("schema").Resolve(d.root)
	o.Response.Description, o.Response.Fields = d.markdown(r.At("description").Text()), d.fieldsOf(schema)
	data := schema.At("properties", "data")
	if items := data.Resolve(d.root).At("items"); items.Exists() {
		data = items
	}
	if fields := data.Resolve(d.root).At("properties"); len(fields.Keys()) == 1 {
		data = fields.At(fields.Keys()[0])
	}
	if name := nameOf(data); d.isObject(name) {
		made := d.object(name)
		o.Response.Data = &made
	}
	headers := r.At("headers")
	for _, name := range headers.Keys() {
		h := headers.At(name).Resolve(d.root)
		made := d.field(name, h.At("schema"), h.At("required").Text() == "true")
		made.Words = h.At("description").Text()
		made.Description = d.markdown(made.Words)
		o.Response.Headers = append(o.Response.Headers, made)
	}
}

// note remembers an object of an example, and the operation that returns it.
func (d *referenceBuilder) note(o *operation) func(string, contract.Node) {
	return func(name string, value contract.Node) {
		if len(value.Keys()) > len(d.examples[name].Keys()) {
			d.examples[name] = value
		}
		if known := d.users[name]; o != nil && (len(known) == 0 || known[len(known)-1].ID != o.ID) {
			d.users[name] = append(known, *o)
		}
	}
}

// json is a value as indented JSON with its parts marked.
func (d *referenceBuilder) json(value contract.Node) template.HTML {
	if !value.Exists() {
		return ""
	}
	text, err := value.JSON("  ")
	if err != nil {
		d.fail(err)
	}
	marked, err := highlight("json", string(text))
	if err != nil {
		d.fail(err)
	}
	return marked
}

// markdown renders a description.
func (d *referenceBuilder) markdown(text string) template.HTML {
	rendered, _, err := renderMarkdown(text)
	if err != nil {
		d.fail(err)
	}
	return rendered
}
