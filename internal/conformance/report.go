package conformance

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
)

// Check is the result of testing one promise.
type Check struct {
	// Name is "group/promise", the same in every run.
	Name    string         `json:"check"`
	Key     string         `json:"key,omitempty"`
	Outcome verify.Outcome `json:"outcome"`
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

// skipError says why a check was skipped.
type skipError string

func (why skipError) Error() string { return string(why) }

func skipf(format string, args ...any) error { return skipError(fmt.Sprintf(format, args...)) }

func isSkipped(err error) bool { return errors.As(err, new(skipError)) }

// check makes one check of a key that has the needed scopes: an error is a failure,
// a skipError skips it.
func (r *run) check(name string, key *apiKey, do func() error, needed ...auth.Scope) {
	c := Check{Name: name, Outcome: verify.Passed}
	if key != nil {
		c.Key = key.label
	}
	r.o.Progress(r.report.Requests, name)
	started := time.Now()
	err := key.needs(needed)
	if err == nil {
		err = do()
	}
	if err != nil {
		c.Outcome, c.Detail = verify.Failed, err.Error()
		if isSkipped(err) {
			c.Outcome = verify.Skipped
		}
	}
	c.Seconds = time.Since(started).Seconds()
	r.show(c)
}

func (r *run) show(c Check) {
	switch c.Outcome {
	case verify.Passed:
		r.report.Passed++
	case verify.Failed:
		r.report.Failed++
	case verify.Skipped:
		r.report.Skipped++
	}
	r.report.Checks = append(r.report.Checks, c)
	r.o.Show(c)
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Time    string     `xml:"time,attr"`
	Failure *junitNote `xml:"failure,omitempty"`
	Skipped *junitNote `xml:"skipped,omitempty"`
}

type junitNote struct {
	Message string `xml:"message,attr"`
}

// WriteJUnit writes the report as CI systems read it.
func (r *Report) WriteJUnit(w io.Writer) error {
	suite := junitSuite{Name: "clientintel conformance", Tests: len(r.Checks), Failures: r.Failed, Skipped: r.Skipped}
	for _, c := range r.Checks {
		group, name, _ := strings.Cut(c.Name, "/")
		if c.Key != "" {
			name += " (" + c.Key + ")"
		}
		one := junitCase{Class: group, Name: name, Time: fmt.Sprintf("%.3f", c.Seconds)}
		switch c.Outcome {
		case verify.Failed:
			one.Failure = &junitNote{c.Detail}
		case verify.Skipped:
			one.Skipped = &junitNote{c.Detail}
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
