package pages

import (
	_ "embed"
	"fmt"
	"strings"
)

// sample sends an operation's first request in one language.
type sample struct{ ID, Title, Text string }

// samplesOf are the samples of a request with the required parameters only. The
// page's script puts what its form says in place of the URL.
func samplesOf(o operation, clients []clientSample) (string, []sample) {
	path, query := o.Path, ""
	arguments := map[string]string{}
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example)
		case p.Required:
			query = "?" + p.Name + "=" + strings.ReplaceAll(p.Example, " ", "+")
		default:
			continue
		}
		arguments[p.Name] = p.Example
	}
	url := exampleAddress + path + query
	curl, python, script := "curl '"+url+"'", "", ""
	if !o.Public {
		curl += " \\\n  -H \"Authorization: Bearer $KEY\""
		python = ",\n    headers={\"Authorization\": \"Bearer \" + os.environ[\"KEY\"]}"
		script = ", {\n  headers: {Authorization: `Bearer ${process.env.KEY}`},\n}"
	}
	samples := []sample{
		{"curl", "curl", curl},
		{"python", "Python", "import json, os, urllib.request\n\nrequest = urllib.request.Request(\n    '" + url + "'" + python +
			")\nwith urllib.request.urlopen(request) as answer:\n    print(json.load(answer))"},
		{"javascript", "JavaScript", "const answer = await fetch('" + url + "'" + script + ");\nconsole.log(answer.status, await answer.json());"},
	}
	for _, c := range clients {
		if call := c.Calls[o.ID]; call != "" {
			text := c.Opening + strings.NewReplacer("{id}", arguments["id"], "{q}", arguments["q"]).Replace(call)
			samples = append(samples, sample{c.ID, c.Title, fmt.Sprintf(text, exampleAddress)})
		}
	}
	return url, samples
}

// clientSample is what a first request is in one of our own clients.
type clientSample struct {
	ID, Title, Opening string
	Calls              map[string]string // by operation
}

//go:embed samples.yaml
var clientSamples []byte
