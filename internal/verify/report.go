package verify

import "fmt"

// Outcome is the result of one check.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Check is one statement of a response, recomputed.
type Check struct {
	Name    string  `json:"check"`
	Outcome Outcome `json:"outcome"`
	// Detail says what differs, or why the check was skipped.
	Detail string `json:"detail,omitempty"`
}

// Report is the checks of one response, or of the pages of one walk.
type Report struct {
	// Of is "response" or "walk".
	Of string `json:"of"`
	// Responses are the places in the input, from 1.
	Responses []int   `json:"responses"`
	What      string  `json:"what"`
	Client    string  `json:"client_id,omitempty"`
	Checks    []Check `json:"checks"`
}

// Count counts the checks with an outcome.
func (r *Report) Count(o Outcome) int {
	n := 0
	for _, c := range r.Checks {
		if c.Outcome == o {
			n++
		}
	}
	return n
}

// check adds a check; the detail is used when it fails.
func (r *Report) check(name string, holds bool, detail string, args ...any) {
	if holds {
		r.Checks = append(r.Checks, Check{Name: name, Outcome: Passed})
	} else {
		r.Checks = append(r.Checks, Check{Name: name, Outcome: Failed, Detail: fmt.Sprintf(detail, args...)})
	}
}

// equal compares what is stated with what is computed.
func (r *Report) equal(name string, stated, computed any) {
	r.check(name, stated == computed, "%v is stated, %v is computed", stated, computed)
}

// count is equal for a count that must be stated in a field.
func (r *Report) count(name, field string, stated *int, computed int) {
	if stated == nil {
		r.check(name, false, "%s is missing", field)
	} else {
		r.equal(name, *stated, computed)
	}
}

// skip adds a check that could not be made, and why.
func (r *Report) skip(name, why string, args ...any) {
	r.Checks = append(r.Checks, Check{Name: name, Outcome: Skipped, Detail: fmt.Sprintf(why, args...)})
}

// Summary counts the reports and their checks.
type Summary struct {
	Responses int `json:"responses"`
	Walks     int `json:"walks"`
	Passed    int `json:"passed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
}

func (s *Summary) add(r *Report) {
	if r.Of == "walk" {
		s.Walks++
	} else {
		s.Responses++
	}
	s.Passed += r.Count(Passed)
	s.Failed += r.Count(Failed)
	s.Skipped += r.Count(Skipped)
}
