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

// Tally counts checks by their outcome.
type Tally struct {
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Count adds a check.
func (t *Tally) Count(c Check) {
	switch c.Outcome {
	case Passed:
		t.Passed++
	case Failed:
		t.Failed++
	case Skipped:
		t.Skipped++
	}
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

// skip adds a check that could not be made, and why.
func (r *Report) skip(name, why string, args ...any) {
	r.Checks = append(r.Checks, Check{Name: name, Outcome: Skipped, Detail: fmt.Sprintf(why, args...)})
}

// Err is the first check that failed, nil if none did.
func (r *Report) Err() error {
	for _, c := range r.Checks {
		if c.Outcome == Failed {
			return fmt.Errorf("%s does not hold: %s", c.Name, c.Detail)
		}
	}
	return nil
}
