package conformance

import (
	"errors"
	"fmt"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
)

// Check is the result of testing one promise. Its name is "group/promise", the same in
// every run.
type Check struct {
	verify.Check
	Key string `json:"key,omitempty"`
}

// Report is the result of a run.
type Report struct {
	BaseURL  string `json:"base_url"`
	Requests int    `json:"requests"`
	verify.Tally
	Checks []Check `json:"checks"`
}

// skipError says why a check was skipped.
type skipError string

func (why skipError) Error() string { return string(why) }

func skipf(format string, args ...any) error { return skipError(fmt.Sprintf(format, args...)) }

func isSkipped(err error) bool { return errors.As(err, new(skipError)) }

// check makes one check of a key that has the needed scopes: an error is a failure,
// a skipError skips it.
func (r *run) check(name string, key *apiKey, do func() error, needed ...auth.Scope) {
	err := key.needs(needed)
	if err == nil {
		err = do()
	}
	r.show(name, key, "", err)
}

// show adds a finished check; the detail is used when it passed.
func (r *run) show(name string, key *apiKey, detail string, err error) {
	c := Check{Check: verify.Check{Name: name, Outcome: verify.Passed, Detail: detail}}
	if key != nil {
		c.Key = key.label
	}
	if err != nil {
		c.Outcome, c.Detail = verify.Failed, err.Error()
		if isSkipped(err) {
			c.Outcome = verify.Skipped
		}
	}
	r.report.Count(c.Check)
	r.report.Checks = append(r.report.Checks, c)
	r.o.Show(c)
}
