package pages

import (
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed samples.yaml
var sampleTemplates []byte

// sample sends an operation's first request in one language. Those of our own clients have a
// call for each operation.
type sample struct {
	ID, Title, Language string
	Source              string `yaml:"text"` // a template until it is filled
	Calls               map[string]string
}

// request is what samples are made from: the first request of an operation, with the
// required parameters only.
type request struct {
	ID, URL, Address, Call string
	Public                 bool
	Arguments              map[string]string
}

func (o operation) request() request {
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

// URL is that of the first request.
func (o operation) URL() string { return o.request().URL }

// Samples send that request. The page's script puts what its form says in place of the URL.
func (o operation) Samples() ([]sample, error) {
	r := o.request()
	var all, found []sample
	if err := yaml.Unmarshal(sampleTemplates, &all); err != nil {
		return nil, fmt.Errorf("reading the samples: %w", err)
	}
	for _, s := range all {
		if s.Calls != nil && s.Calls[r.ID] == "" {
			continue
		}
		withCall := r
		var err, err2 error
		withCall.Call, err = fill(s.Calls[r.ID], r)
		s.Source, err2 = fill(s.Source, withCall)
		if err := cmp.Or(err, err2); err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

func fill(source string, r request) (string, error) {
	parsed, err := template.New(r.ID).Parse(source)
	if err != nil {
		return "", fmt.Errorf("reading a sample of %s: %w", r.ID, err)
	}
	var out strings.Builder
	err = parsed.Execute(&out, r)
	return out.String(), err
}
