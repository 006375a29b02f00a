package conformance

import (
	"fmt"
	"time"
)

// Outcome is the result of one check.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Check is the result of testing one promise.
type Check struct {
	// Name is "group/promise", the same in every run.
	Name    string  `json:"check"`
	Key     string  `json:"key,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Detail says what differs, why the check was skipped, or how many responses it covers.
	Detail string `json:"detail,omitempty"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
}

// Report is the result of a run.
type Report struct {
	BaseURL  string  `json:"base_url"`
	Requests int     `json:"requests"`
	Passed   int     `json:"passed"`
	Failed   int     `json:"failed"`
	Skipped  int     `json:"skipped"`
	Checks   []Check `json:"checks"`
}

func (r *Report) add(c Check) {
	switch c.Outcome {
	case Passed:
		r.Passed++
	case Failed:
		r.Failed++
	case Skipped:
		r.Skipped++
	}
	r.Checks = append(r.Checks, c)
}

// skipError says why a check was skipped.
type skipError struct{ why string }

func (n *skipError) Error() string { return n.why }

func skipf(format string, args ...any) error { return &skipError{fmt.Sprintf(format, args...)} }

// check makes one check: an error is a failure, a skipError skips it.
func (r *run) check(name string, key *apiKey, do func() error) {
	c := Check{Name: name, Outcome: Passed}
	if key != nil {
		c.Key = key.label
	}
	r.o.Progress(r.requests.used, name)
	started := time.Now()
	if err := do(); err != nil {
		c.Outcome, c.Detail = Failed, err.Error()
		if isSkipped(err) {
			c.Outcome = Skipped
		}
	}
	c.Seconds = time.Since(started).Seconds()
	r.show(c)
}

func (r *run) show(c Check) {
	r.report.add(c)
	r.o.Show(c)
}
