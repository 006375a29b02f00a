package pages

import (
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

// problem is an error that the API answers, with its code.
type problem struct {
	Code, Status string
	Meaning      template.HTML
	Words        string
	Operations   []operation
	Example      template.HTML
}

// errorRow is a row of the introduction's table of errors.
var errorRow = regexp.MustCompile("(?m)^\\| (\\d{3}(?:, \\d{3})*) \\| (`[a-z_]+`(?:, `[a-z_]+`)*) \\| (.+) \\|$")

// problemsOf reads the table of errors, and finds which operations name an example of each.
func (d *referenceBuilder) problemsOf(introduction string, groups []group) []problem {
	var all []problem
	for _, row := range errorRow.FindAllStringSubmatch(introduction, -1) {
		statuses := strings.Split(row[1], ", ")
		for i, code := range strings.Split(row[2], ", ") {
			made := problem{
				Code: strings.Trim(code, "`"), Status: statuses[min(i, len(statuses)-1)], Meaning: d.markdown(row[3]), Words: row[3],
			}
			for _, g := range groups {
				for _, o := range g.Operations {
					if at := slices.IndexFunc(o.Errors, func(e operationError) bool { return e.Code == made.Code }); at >= 0 {
						made.Operations = append(made.Operations, o)
						made.Example = o.Errors[at].Example
					}
				}
			}
			all = append(all, made)
		}
	}
	for _, g := range groups {
		for _, o := range g.Operations {
			for i, e := range o.Errors {
				if e.Code == "" {
					continue
				}
				at := slices.IndexFunc(all, func(p problem) bool { return p.Code == e.Code })
				if at < 0 {
					d.fail(fmt.Errorf("the table of errors lacks %s of %s", e.Code, o.ID))
					continue
				}
				o.Errors[i].Status, o.Errors[i].Meaning = all[at].Status, all[at].Meaning
			}
		}
	}
	return all
}
