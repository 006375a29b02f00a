package conformance

import (
	"errors"
	"fmt"
	"time"
)

// Outcome is what became of one check.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
)

// Check is one promise, asked for.
type Check struct {
	// Name is "group/promise", the same in every run.
	Name    string  `json:"check"`
	Key     string  `json:"key,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Detail says what differs, why nothing could be asked, or on what it stands.
	Detail string `json:"detail,omitempty"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
}

// Report is what a run found.
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

// notAsked says why a check could not be made. It is no failure.
type notAsked struct{ why string }

func (n *notAsked) Error() string { return n.why }

func skipf(format string, args ...any) error { return &notAsked{fmt.Sprintf(format, args...)} }

// check makes one check. Its error is the failure, unless it says that nothing
// could be asked.
func (r *run) check(name string, s *subject, do func() error) {
	c := Check{Name: name, Outcome: Passed}
	if s != nil {
		c.Key = s.label
	}
	r.o.Progress(r.wire.used, name)
	started := time.Now()
	if err := do(); err != nil {
		var skipped *notAsked
		c.Outcome, c.Detail = Failed, err.Error()
		if errors.As(err, &skipped) {
			c.Outcome = Skipped
		}
	}
	c.Seconds = time.Since(started).Seconds()
	r.tell(c)
}

func (r *run) tell(c Check) {
	r.report.add(c)
	r.o.Show(c)
}
