package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Result is what Verify found.
type Result struct {
	// Reports has one of each response, and one of each walk of several pages.
	Reports   []*Report `json:"reports"`
	Responses int       `json:"responses"`
	Walks     int       `json:"walks"`
	Tally
}

func (v *Result) add(r *Report) {
	v.Reports = append(v.Reports, r)
	for _, c := range r.Checks {
		v.Count(c)
	}
}

// Verify reads saved responses and checks each by itself, and consecutive pages of a
// list together. Input that is no response of this API is an error with its position.
// given is the request of every response that does not come with its own, nil if that
// is not known.
func Verify(in io.Reader, given *Request) (*Result, error) {
	if given != nil {
		given.shared = true
	}
	result, walk := &Result{Reports: []*Report{}}, &Walk{}
	endWalk := func() {
		// A single page was checked by itself.
		if len(walk.report.Responses) > 1 {
			result.Walks++
			result.add(walk.Finish())
		}
		walk = &Walk{}
	}
	err := eachValue(in, func(value json.RawMessage) error {
		result.Responses++
		res, err := decodeSaved(value, given)
		if err != nil {
			return fmt.Errorf("response %d: %w", result.Responses, err)
		}
		report := res.Check()
		report.Responses = []int{result.Responses}
		result.add(report)
		if res.isPage() {
			if !walk.continues(res) {
				endWalk()
			}
			walk.Add(result.Responses, res)
		}
		return nil
	})
	endWalk()
	if err == nil && result.Responses == 0 {
		err = errors.New("the input holds no response")
	}
	return result, err
}

// eachValue splits JSON into values: concatenated, one a line, or the elements of arrays.
func eachValue(in io.Reader, do func(json.RawMessage) error) error {
	decoder := json.NewDecoder(in)
	for {
		var value json.RawMessage
		if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the JSON value after byte %d: %w", decoder.InputOffset(), err)
		}
		values := []json.RawMessage{value}
		if value[0] == '[' {
			_ = json.Unmarshal(value, &values) // it was decoded once
		}
		for _, one := range values {
			if err := do(one); err != nil {
				return err
			}
		}
	}
}

// decodeSaved decodes a response's body, alone or with its request. given is the
// request of a body alone.
func decodeSaved(value json.RawMessage, given *Request) (*Response, error) {
	var saved struct {
		Request  string          `json:"request"`
		Response json.RawMessage `json:"response"`
	}
	if err := json.Unmarshal(value, &saved); err != nil {
		return nil, unreadable(err)
	}
	if saved.Response == nil {
		return Decode(value, given)
	}
	request, err := ParseRequest(saved.Request)
	if err != nil {
		return nil, err
	}
	return Decode(saved.Response, request)
}

// Check recomputes what one response states by itself.
func (res *Response) Check() *Report {
	r := &Report{Of: "response", What: res.kind.name, Client: res.Meta.ClientID}
	if res.kind == refusal {
		r.skip("error", "an error response states nothing to recompute")
		return r
	}
	res.checkMeta(r)
	res.checkMeasurement(r)
	switch res.kind {
	case counts:
		res.checkAnalytics(r)
	case portalBodies:
		res.checkSavedBases(r)
	default:
		res.checkRows(r)
	}
	if res.Meta.Basis != nil {
		res.checkBasis(r)
	} else if res.Meta.Mode == "canonical" {
		r.skip("basis", "the response leaves it out")
	}
	return r
}
