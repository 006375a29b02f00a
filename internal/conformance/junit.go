package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

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
		case Failed:
			one.Failure = &junitNote{c.Detail}
		case Skipped:
			one.Skipped = &junitNote{c.Detail}
		}
		suite.Cases = append(suite.Cases, one)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(w)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
