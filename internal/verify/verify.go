package verify

import (
	"errors"
	"fmt"
	"io"
)

// URLError is a mistake in the address given to Verify.
type URLError struct{ error }

// Verify reads saved responses and calls show for each, and for each finished
// walk of several pages. It keeps one response and a bounded number of open walks
// in memory. Input that is no response of this API is an error with its position.
//
// url is the request of every response that does not come with its own: an address
// of this API, whole or from its path on. Empty: not known.
func Verify(in io.Reader, url string, show func(*Report) error) (Summary, error) {
	var summary Summary
	var given *request
	if url != "" {
		var err error
		if given, err = parseRequest(url); err != nil {
			return summary, &URLError{err}
		}
	}
	emit := func(r *Report) error {
		summary.add(r)
		return show(r)
	}
	input, open := newValues(in), &walks{emit: emit}
	for n := 1; ; n++ {
		value, line, err := input.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = verifyOne(n, value, given, open)
		}
		if err != nil {
			return summary, fmt.Errorf("response %d, on line %d: %w", n, line, err)
		}
	}
	for len(open.open) > 0 {
		if err := open.end(open.open[0], false); err != nil {
			return summary, err
		}
	}
	if summary.Responses == 0 {
		return summary, errors.New("the input holds no response")
	}
	return summary, nil
}

func verifyOne(n int, value []byte, given *request, open *walks) error {
	res, err := parseResponse(value, given)
	if err != nil {
		return err
	}
	r, err := res.Check()
	if err != nil {
		return err
	}
	r.Responses = []int{n}
	if err := open.emit(r); err != nil {
		return err
	}
	return open.add(n, res)
}

// Check recomputes one response by itself.
func (res *Response) Check() (*Report, error) {
	if err := res.recognize(); err != nil {
		return nil, err
	}
	r := &Report{Of: "response", What: res.resource.name, Client: res.Meta.ClientID}
	return r, res.resource.check(res, r)
}

func (res *Response) skipRefusal(r *Report) error {
	r.skip("error", "an error response (%s) states nothing to recompute", res.refused)
	return nil
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
