package pages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/tools/generate/contract"
)

// problem is an error that the API answers, with its code.
type problem struct {
	Code, Status, Meaning string
	Operations            []operation
	Example               contract.Node
}

// errorRow is a row of the introduction's table of errors.
var errorRow = regexp.MustCompile("(?m)^\\| (\\d{3}(?:, \\d{3})*) \\| (`[a-z_]+`(?:, `[a-z_]+`)*) \\| (.+) \\|$")

// problemsOf reads the table of errors, and finds which operations name an example of each.
// Those get its status and meaning.
func problemsOf(introduction string, operations []operation) ([]problem, error) {
	var all []problem
	for _, row := range errorRow.FindAllStringSubmatch(introduction, -1) {
		statuses := strings.Split(row[1], ", ")
		for i, code := range strings.Split(row[2], ", ") {
			all = append(all, problem{Code: strings.Trim(code, "`"), Status: statuses[min(i, len(statuses)-1)], Meaning: row[3]})
		}
	}
	for _, o := range operations {
		for i, e := range o.Errors {
			at := slices.IndexFunc(all, func(p problem) bool { return p.Code == e.Code })
			switch {
			case e.Code == "":
				continue
			case at < 0:
				return nil, fmt.Errorf("the table of errors lacks %s of %s", e.Code, o.ID)
			}
			p := &all[at]
			o.Errors[i].Status, o.Errors[i].Meaning = p.Status, p.Meaning
			if known := len(p.Operations); known == 0 || p.Operations[known-1].ID != o.ID { // its first example
				p.Operations, p.Example = append(p.Operations, o), e.Example
			}
		}
	}
	return all, nil
}
