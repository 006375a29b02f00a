package pages

import (
	"html/template"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
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
	root    contract.Node
	clients []clientSample
	err     error
}

func buildReference(root contract.Node) (reference, error) {
	d := &referenceBuilder{root: root}
	if err := yaml.Unmarshal(clientSamples, &d.clients); err != nil {
		return reference{}, err
	}
	info := root.At("info")
	intro, headings, err := render(info.At("description").Text())
	if err != nil {
		return reference{}, err
	}
	r := reference{
		Title: info.At("title").Text(), Version: info.At("version").Text(), Summary: info.At("summary").Text(),
		Description: info.At("description").Text(), Intro: intro, Headings: headings,
	}
	for _, tag := range root.At("tags").Items() {
		name := tag.At("name").Text()
		r.Groups = append(r.Groups, group{
			Name: name, Anchor: "tag-" + strings.ToLower(name), Description: tag.At("description").Text(),
			Operations: d.operations(name),
		})
	}
	return r, d.err
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
	made := operation{
		ID: o.At("operationId").Text(), Method: strings.ToUpper(method), Path: path, Summary: o.At("summary").Text(),
		Description: d.markdown(o.At("description").Text()), Public: true,
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
	responses := o.At("responses")
	for _, status := range responses.Keys() {
		made.Responses = append(made.Responses, d.response(status, responses.At(status).Resolve(d.root)))
	}
	made.URL, made.Samples = samplesOf(made, d.clients)
	return made
}

func (d *referenceBuilder) parameter(p contract.Node) parameter {
	schema := p.At("schema").Resolve(d.root)
	example := p.At("example").Text()
	if examples := p.At("examples"); example == "" && len(examples.Keys()) > 0 {
		example = examples.At(examples.Keys()[0]).Resolve(d.root).At("value").Text()
	}
	return parameter{
		Name: p.At("name").Text(), In: p.At("in").Text(), Type: d.typeOf(p.At("schema")),
		Required: p.At("required").Text() == "true", Description: d.markdown(p.At("description").Text()),
		Constraints: d.constraints(schema), Values: schema.At("enum").Texts(), Example: example,
	}
}

func (d *referenceBuilder) response(status string, r contract.Node) response {
	body := r.At("content", "application/json")
	made := response{
		Status: status, Class: status[:1] + "xx", Description: d.markdown(r.At("description").Text()),
		Type: d.typeOf(body.At("schema")), Fields: d.fieldsOf(body.At("schema")),
	}
	headers := r.At("headers")
	for _, name := range headers.Keys() {
		h := headers.At(name).Resolve(d.root)
		made.Headers = append(made.Headers, field{
			Name: name, Type: d.typeOf(h.At("schema")), Required: h.At("required").Text() == "true",
			Description: d.markdown(h.At("description").Text()), Constraints: d.constraints(h.At("schema").Resolve(d.root)),
		})
	}
	examples := body.At("examples")
	for _, name := range examples.Keys() {
		e := examples.At(name).Resolve(d.root)
		title := e.At("summary").Text()
		if title == "" {
			title = strings.ReplaceAll(name, "_", " ")
		}
		text, err := e.At("value").JSON("  ")
		if err != nil && d.err == nil {
			d.err = err
		}
		made.Examples = append(made.Examples, example{Title: title, Text: string(text)})
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
