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

// Verify reads saved responses and calls show for each, and for each walk of
// several pages, as soon as it is done with. It holds one response at a time,
// and of a bounded number of walks what their first pages promised. An input that is no response of
// this API is an error that names its place.
func Verify(in io.Reader, o Options, show func(*Report) error) (Summary, error) {
	var summary Summary
	var given *request
	if o.URL != "" {
		var err error
		if given, err = parseRequest(o.URL); err != nil {
			return summary, &OptionError{err}
		}
	}
	tell := func(r *Report) error {
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
			err = verifyOne(n, value, given, open, tell)
		}
		if err != nil {
			return summary, fmt.Errorf("response %d, on line %d: %w", n, line, err)
		}
	}
	for _, r := range open.end(open.open, false) {
		if err := tell(r); err != nil {
			return summary, err
		}
	}
	if summary.Responses == 0 {
		return summary, errors.New("the input holds no response")
	}
	return summary, nil
}

func verifyOne(n int, value []byte, given *request, open *walks, tell func(*Report) error) error {
	b, err := parseBody(value, given)
	if err != nil {
		return err
	}
	r := &Report{Of: "response", Responses: []int{n}, What: string(b.kind), Client: b.meta.ClientID}
	rows, err := b.check(r)
	if err != nil {
		return err
	}
	if err := tell(r); err != nil || rows == nil {
		return err
	}
	for _, ended := range open.add(n, b, rows) {
		if err := tell(ended); err != nil {
			return err
		}
	}
	return nil
}

// check recomputes one response. It returns the rows of a list that is walked.
func (b *body) check(r *Report) ([]row, error) {
	switch b.kind {
	case interviewList:
		return b.checkInterviews(r)
	case campaignList:
		return b.checkCampaigns(r)
	case synthesisRows:
		return b.checkSynthesisRows(r)
	case portalBodies:
		return nil, b.checkPortal(r)
	case interview:
		return nil, b.checkDetail(r)
	case analytics:
		return nil, b.checkAnalytics(r)
	case search:
		return nil, b.checkSearch(r)
	case refusal:
		r.skip("error", "an error response (%s) states nothing to recompute", b.refused)
	case emptyList:
		b.checkMeta(r, 0)
	}
	return nil, nil
}
