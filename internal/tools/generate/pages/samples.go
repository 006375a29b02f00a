package pages

import (
	"fmt"
	"strings"
)

// sample sends an operation's first request in one language.
type sample struct{ ID, Title, Text string }

// samplesOf are the samples of a request with the required parameters only. The
// page's script puts what its form says in place of the URL.
func samplesOf(o operation) (string, []sample) {
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
		if call := c.calls[o.ID]; call != "" {
			text := c.opening + strings.NewReplacer("{id}", arguments["id"], "{q}", arguments["q"]).Replace(call)
			samples = append(samples, sample{c.id, c.title, fmt.Sprintf(text, exampleAddress)})
		}
	}
	return url, samples
}

// clients are our own clients' samples: what each begins with, and the call of an
// operation.
var clients = []struct {
	id, title, opening string
	calls              map[string]string
}{
	{
		"client-python", "Python client", "import os\nfrom clientintel import Client\n\nclient = Client('%s', os.environ[\"KEY\"])\n",
		map[string]string{
			"listInterviews":        "for interview in client.interviews():\n    print(interview[\"created_at\"], interview[\"nps_score\"])",
			"getInterview":          "answer = client.interview(\"{id}\")\nprint(answer[\"data\"][\"interview\"])",
			"listCampaigns":         "for campaign in client.campaigns():\n    print(campaign[\"slug\"], campaign[\"goal\"])",
			"listSynthesis":         "for document in client.synthesis():\n    print(document[\"synthesis_type\"], document[\"updated_at\"])",
			"getInterviewAnalytics": "print(client.analytics()[\"data\"][\"sentiment\"])",
			"searchIntelligence":    "for hit in client.search(\"{q}\")[\"data\"]:\n    print(hit[\"id\"], hit[\"matched_fields\"])",
		},
	},
	{
		"client-typescript", "TypeScript client", "import {Client} from 'clientintel';\n\nconst client = new Client({url: '%s', key: process.env.KEY});\n",
		map[string]string{
			"listInterviews":        "for await (const interview of client.interviews()) {\n  console.log(interview.created_at, interview.nps_score);\n}",
			"getInterview":          "const {data} = await client.interview('{id}');\nconsole.log(data.interview);",
			"listCampaigns":         "for await (const campaign of client.campaigns()) {\n  console.log(campaign.slug, campaign.goal);\n}",
			"listSynthesis":         "for await (const document of client.synthesis()) {\n  console.log(document.synthesis_type, document.updated_at);\n}",
			"getInterviewAnalytics": "const {data} = await client.analytics();\nconsole.log(data.sentiment);",
			"searchIntelligence":    "const {data} = await client.search('{q}');\nconsole.log(data.map((hit) => hit.matched_fields));",
		},
	},
}
