package verify

import (
	"errors"
	"fmt"
	"io"
)

// Options of a verification.
type Options struct {
	// URL is the request of every response that does not come with its own: an
	// address of this API, whole or from its path on. Empty: not known.
	URL string
}

// OptionError is a mistake in the options.
type OptionError struct{ error }

// Verify reads saved responses and calls show for each, and for each finished
// walk of several pages. It keeps one response and a bounded number of open walks
// in memory. Input that is no response of this API is an error with its position.
func Verify(in io.Reader, o Options, show func(*Report) error) (Summary, error) {
	var summary Summary
	var given *request
	if o.URL != "" {
		var err error
		if given, err = parseRequest(o.URL); err != nil {
			return summary, &OptionError{err}
		}
	}
	emit := func(r *Report) error {
		summary.add(r)
		return show(r)
	}
	input, open := newValues(in), newWalks()
	for n := 1; ; n++ {
		value, line, err := input.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = verifyOne(n, value, given, open, emit)
		}
		if err != nil {
			return summary, fmt.Errorf("response %d, on line %d: %w", n, line, err)
		}
	}
	for _, r := range open.end(open.open, false) {
		if err := emit(r); err != nil {
			return summary, err
		}
	}
	if summary.Responses == 0 {
		return summary, errors.New("the input holds no response")
	}
	return summary, nil
}

func verifyOne(n int, value []byte, given *request, open *walks, emit func(*Report) error) error {
	res, err := parseResponse(value, given)
	if err != nil {
		return err
	}
	r, err := res.Check()
	if err != nil {
		return err
	}
	r.Responses = []int{n}
	for _, r := range append([]*Report{r}, open.add(n, res)...) {
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// Check recomputes one response by itself.
func (res *Response) Check() (*Report, error) {
	if err := res.recognize(); err != nil {
		return nil, err
	}
	r := &Report{Of: "response", What: string(res.kind), Client: res.Meta.ClientID}
	var err error
	switch res.kind {
	case interviewList:
		err = res.checkInterviews(r)
	case campaignList:
		err = res.checkRows(r)
	case synthesisRows:
		err = res.checkSynthesisRows(r)
	case portalBodies:
		err = res.checkPortal(r)
	case interview:
		err = res.checkDetail(r)
	case analytics:
		err = res.checkAnalytics(r)
	case search:
		err = res.checkSearch(r)
	case refusal:
		r.skip("error", "an error response (%s) states nothing to recompute", res.refused)
	case emptyList:
		res.checkMeta(r, 0)
	}
	return r, err
}

// CheckWalk checks the pages of one list together, in the order in which they
// were read. The report is nil when there is nothing to check beyond each page.
func CheckWalk(pages []*Response) (*Report, error) {
	w, complete := &walk{}, false
	for i, page := range pages {
		if _, err := page.Check(); err != nil || !page.isPage() {
			return nil, err
		}
		if i == 0 {
			w = newWalk(page)
		}
		w.take(i+1, page)
		complete = !*page.Meta.HasMore
	}
	return w.finish(complete), nil
}
