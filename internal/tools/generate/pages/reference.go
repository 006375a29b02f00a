package pages

import (
	"html/template"
	"strings"
)

// reference is the contract, laid out for reading.
type reference struct {
	Title, Version, Summary string
	// Description is the introduction as Markdown, Intro as HTML.
	Description string
	Intro       template.HTML
	Headings    []heading
	Groups      []group
}

type group struct {
	Name, Anchor, Description string
	Operations                []operation
}

type operation struct {
	ID, Method, Path, Summary string
	Description               template.HTML
	Scopes                    []string
	Public                    bool
	Parameters                []parameter
	Responses                 []response
	// URL is that of a first request, which Samples send.
	URL     string
	Samples []sample
}

type parameter struct {
	Name, In, Type string
	Required       bool
	Description    template.HTML
	Constraints    []string
	Values         []string
	Example        string
}

type response struct {
	Status, Class string
	Description   template.HTML
	Headers       []field
	Type          string
	Fields        []field
	Examples      []example
}

type example struct{ Title, Text string }

// referenceBuilder turns the contract into a reference, and keeps the first error.
type referenceBuilder struct {
	root node
	err  error
}

func buildReference(contract []byte) (reference, error) {
	root, err := parseNode(contract)
	if err != nil {
		return reference{}, err
	}
	d := &referenceBuilder{root: root}
	info := root.at("info")
	intro, headings, err := render(info.at("description").text())
	if err != nil {
		return reference{}, err
	}
	r := reference{
		Title: info.at("title").text(), Version: info.at("version").text(), Summary: info.at("summary").text(),
		Description: info.at("description").text(), Intro: intro, Headings: headings,
	}
	for _, tag := range root.at("tags").items {
		name := tag.at("name").text()
		r.Groups = append(r.Groups, group{
			Name: name, Anchor: "tag-" + strings.ToLower(name), Description: tag.at("description").text(),
			Operations: d.operations(name),
		})
	}
	return r, d.err
}

// operations are those of a tag, in the order of the contract.
func (d *referenceBuilder) operations(tag string) []operation {
	var found []operation
	paths := d.root.at("paths")
	for _, path := range paths.keys {
		for _, method := range paths.at(path).keys {
			if o := paths.at(path, method); len(o.at("tags").items) > 0 && o.at("tags").items[0].text() == tag {
				found = append(found, d.operation(path, method, o))
			}
		}
	}
	return found
}

func (d *referenceBuilder) operation(path, method string, o node) operation {
	made := operation{
		ID: o.at("operationId").text(), Method: strings.ToUpper(method), Path: path, Summary: o.at("summary").text(),
		Description: d.markdown(o.at("description").text()), Public: true,
	}
	for _, alternative := range o.at("security").items {
		for _, scheme := range alternative.keys {
			made.Public = false
			made.Scopes = append(made.Scopes, alternative.at(scheme).texts()...)
		}
	}
	for _, p := range o.at("parameters").items {
		made.Parameters = append(made.Parameters, d.parameter(p.resolve(d.root)))
	}
	responses := o.at("responses")
	for _, status := range responses.keys {
		made.Responses = append(made.Responses, d.response(status, responses.at(status).resolve(d.root)))
	}
	made.URL, made.Samples = samplesOf(made)
	return made
}

func (d *referenceBuilder) parameter(p node) parameter {
	schema := p.at("schema").resolve(d.root)
	example := p.at("example").text()
	if examples := p.at("examples"); example == "" && len(examples.keys) > 0 {
		example = examples.at(examples.keys[0]).resolve(d.root).at("value").text()
	}
	return parameter{
		Name: p.at("name").text(), In: p.at("in").text(), Type: d.typeOf(p.at("schema")),
		Required: p.at("required").text() == "true", Description: d.markdown(p.at("description").text()),
		Constraints: d.constraints(schema), Values: schema.at("enum").texts(), Example: example,
	}
}

func (d *referenceBuilder) response(status string, r node) response {
	body := r.at("content", "application/json")
	made := response{
		Status: status, Class: status[:1] + "xx", Description: d.markdown(r.at("description").text()),
		Type: d.typeOf(body.at("schema")), Fields: d.fieldsOf(body.at("schema")),
	}
	headers := r.at("headers")
	for _, name := range headers.keys {
		h := headers.at(name).resolve(d.root)
		made.Headers = append(made.Headers, field{
			Name: name, Type: d.typeOf(h.at("schema")), Required: h.at("required").text() == "true",
			Description: d.markdown(h.at("description").text()), Constraints: d.constraints(h.at("schema").resolve(d.root)),
		})
	}
	examples := body.at("examples")
	for _, name := range examples.keys {
		e := examples.at(name).resolve(d.root)
		title := e.at("summary").text()
		if title == "" {
			title = strings.ReplaceAll(name, "_", " ")
		}
		made.Examples = append(made.Examples, example{Title: title, Text: e.at("value").indented()})
	}
	return made
}

// markdown renders a description.
func (d *referenceBuilder) markdown(text string) template.HTML {
	rendered, _, err := render(text)
	if err != nil && d.err == nil {
		d.err = err
	}
	return rendered
}
