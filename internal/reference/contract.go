package reference

import (
	"html/template"
	"strings"
)

// exampleAddress stands in lines to paste while no public address is set. The
// page's script puts the address there that the page itself came from.
const exampleAddress = "https://clientintel.example.com"

// reference is the contract, laid out for reading.
type reference struct {
	Title, Version, Summary string
	Intro                   template.HTML
	Headings                []heading
	Groups                  []group
	Address                 string
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
	Curl                      string
}

type parameter struct {
	Name, In, Type string
	Required       bool
	Description    template.HTML
	Facts          []string
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

// describer turns the contract into its description, and keeps the first fault.
type describer struct {
	root value
	err  error
}

func describe(contract []byte, publicURL string) (reference, error) {
	root, err := parseValue(contract)
	if err != nil {
		return reference{}, err
	}
	d := &describer{root: root}
	info := root.at("info")
	intro, headings, err := render(info.at("description").text())
	if err != nil {
		return reference{}, err
	}
	r := reference{
		Title: info.at("title").text(), Version: info.at("version").text(), Summary: info.at("summary").text(),
		Intro: intro, Headings: headings, Address: publicURL,
	}
	if r.Address == "" {
		r.Address = exampleAddress
	}
	for _, tag := range root.at("tags").items {
		name := tag.at("name").text()
		r.Groups = append(r.Groups, group{
			Name: name, Anchor: "tag-" + strings.ToLower(name), Description: tag.at("description").text(),
			Operations: d.operations(name, r.Address),
		})
	}
	return r, d.err
}

// operations are those of a tag, in the order of the contract.
func (d *describer) operations(tag, address string) []operation {
	var found []operation
	paths := d.root.at("paths")
	for _, path := range paths.keys {
		for _, method := range paths.at(path).keys {
			if o := paths.at(path, method); len(o.at("tags").items) > 0 && o.at("tags").items[0].text() == tag {
				found = append(found, d.operation(path, method, o, address))
			}
		}
	}
	return found
}

func (d *describer) operation(path, method string, o value, address string) operation {
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
		made.Parameters = append(made.Parameters, d.parameter(p.follow(d.root)))
	}
	responses := o.at("responses")
	for _, status := range responses.keys {
		made.Responses = append(made.Responses, d.response(status, responses.at(status).follow(d.root)))
	}
	made.Curl = curl(made, address)
	return made
}

func (d *describer) parameter(p value) parameter {
	schema := p.at("schema").follow(d.root)
	example := p.at("example").text()
	if examples := p.at("examples"); example == "" && len(examples.keys) > 0 {
		example = examples.at(examples.keys[0]).follow(d.root).at("value").text()
	}
	return parameter{
		Name: p.at("name").text(), In: p.at("in").text(), Type: d.typeOf(p.at("schema")),
		Required: p.at("required").text() == "true", Description: d.markdown(p.at("description").text()),
		Facts: d.facts(schema), Values: schema.at("enum").texts(), Example: example,
	}
}

func (d *describer) response(status string, r value) response {
	body := r.at("content", "application/json")
	made := response{
		Status: status, Class: status[:1] + "xx", Description: d.markdown(r.at("description").text()),
		Type: d.typeOf(body.at("schema")), Fields: d.fieldsOf(body.at("schema")),
	}
	headers := r.at("headers")
	for _, name := range headers.keys {
		h := headers.at(name).follow(d.root)
		made.Headers = append(made.Headers, field{
			Name: name, Type: d.typeOf(h.at("schema")), Required: h.at("required").text() == "true",
			Description: d.markdown(h.at("description").text()), Facts: d.facts(h.at("schema").follow(d.root)),
		})
	}
	examples := body.at("examples")
	for _, name := range examples.keys {
		e := examples.at(name).follow(d.root)
		title := e.at("summary").text()
		if title == "" {
			title = strings.ReplaceAll(name, "_", " ")
		}
		made.Examples = append(made.Examples, example{Title: title, Text: e.at("value").indented()})
	}
	return made
}

// markdown renders a description.
func (d *describer) markdown(text string) template.HTML {
	rendered, _, err := render(text)
	if err != nil && d.err == nil {
		d.err = err
	}
	return rendered
}

// curl is a first request: what the operation must have, and nothing else.
func curl(o operation, address string) string {
	path, query := o.Path, ""
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example)
		case p.Required:
			query = "?" + p.Name + "=" + strings.ReplaceAll(p.Example, " ", "+")
		}
	}
	line := "curl '" + address + path + query + "'"
	if !o.Public {
		line += " \\\n  -H \"Authorization: Bearer $KEY\""
	}
	return line
}
