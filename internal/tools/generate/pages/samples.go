package pages

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	text "text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed samples.yaml
var sampleTemplates []byte

// sample sends an operation's first request in one language. Those of our own clients have a
// call for each operation.
type sample struct {
	ID, Title, Language string
	Template            string `yaml:"text"`
	Calls               map[string]string
	Code                template.HTML
}

// request is what samples are made from: the first request of an operation, with the
// required parameters only.
type request struct {
	ID, URL, Address, Call string
	Public                 bool
	Arguments              map[string]string
}

func requestOf(o operation) request {
	made := request{ID: o.ID, Address: exampleAddress, Public: o.Public, Arguments: map[string]string{}}
	path, query := o.Path, ""
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example)
		case p.Required:
			query = "?" + p.Name + "=" + strings.ReplaceAll(p.Example, " ", "+")
		default:
			continue
		}
		made.Arguments[p.Name] = p.Example
	}
	made.URL = exampleAddress + path + query
	return made
}

// samplesOf are the samples of a request. The page's script puts what its form says in
// place of the URL.
func samplesOf(r request) ([]sample, error) {
	var all, found []sample
	if err := yaml.Unmarshal(sampleTemplates, &all); err != nil {
		return nil, fmt.Errorf("reading the samples: %w", err)
	}
	for _, s := range all {
		if s.Calls != nil && s.Calls[r.ID] == "" {
			continue
		}
		call, err := fill(s.Calls[r.ID], r)
		if err != nil {
			return nil, err
		}
		withCall := r
		withCall.Call = call
		code, err := fill(s.Template, withCall)
		if err != nil {
			return nil, err
		}
		if s.Code, err = highlight(s.Language, code); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

func fill(source string, r request) (string, error) {
	parsed, err := text.New(r.ID).Parse(source)
	if err != nil {
		return "", fmt.Errorf("reading a sample of %s: %w", r.ID, err)
	}
	var out strings.Builder
	err = parsed.Execute(&out, r)
	return out.String(), err
}
