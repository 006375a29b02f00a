package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// Response is a decoded response.
type Response struct {
	Meta Meta
	// Rows are those of a list, or the one interview of a detail.
	Rows []Row

	kind      *kind
	request   *Request // nil: not known
	analytics analytics
}

// Meta is what is read of a response's meta.
type Meta struct {
	ClientID   string       `json:"client_id"`
	Count      *int         `json:"count"`
	HasMore    *bool        `json:"has_more"`
	NextCursor *string      `json:"next_cursor"`
	Types      []string     `json:"types"`
	Type       string       `json:"type"`
	Query      *string      `json:"query"`
	Mode       string       `json:"measurement_mode"`
	Basis      *statedBasis `json:"measurement_basis"`
	Total      *int         `json:"measurement_total_count"`
	AsOf       string       `json:"measurement_as_of"`
	Version    string       `json:"measurement_contract_version"`
	CountBasis string       `json:"measurement_count_basis"`
	Omitted    []string     `json:"measurement_omitted_fields"`

	Identity         bool `json:"includes_customer_identity"`
	Transcripts      bool `json:"includes_transcripts"`
	RawExtraction    bool `json:"includes_raw_extraction"`
	CustomExtraction bool `json:"includes_custom_extraction"`
}

// Row is the fields of an interview, a campaign, a document, a hit or a portal body.
type Row map[string]json.RawMessage

// Text is a field's text, empty for null and anything else.
func (row Row) Text(field string) string {
	var text string
	_ = json.Unmarshal(row[field], &text)
	return text
}

// kind is what a response is of. The route is empty where several have it.
type kind struct{ name, route string }

var (
	interviewList = &kind{"interviews", interviewsRoute}
	interview     = &kind{"interview", detailRoute}
	campaignList  = &kind{"campaigns", campaignsRoute}
	synthesisRows = &kind{"synthesis", synthesisRoute}
	portalBodies  = &kind{"portal synthesis", synthesisRoute}
	counts        = &kind{"analytics", analyticsRoute}
	search        = &kind{"search", searchRoute}
	emptyList     = &kind{"an empty list", ""}
	refusal       = &kind{"an error", ""}
)

// Decode decodes the body of a response to a request, nil if that is not known.
func Decode(body []byte, request *Request) (*Response, error) {
	var envelope struct {
		Data        json.RawMessage `json:"data"`
		Meta        *Meta           `json:"meta"`
		Error, Code string
	}
	if err := unreadable(json.Unmarshal(body, &envelope)); err != nil {
		return nil, err
	}
	res := &Response{request: request}
	switch {
	case envelope.Data == nil && envelope.Error != "" && envelope.Code != "":
		res.kind = refusal
		return res, nil
	case envelope.Data == nil || envelope.Meta == nil:
		return nil, errors.New("this is no response of this API: it lacks data or meta")
	}
	res.Meta = *envelope.Meta
	if bytes.HasPrefix(envelope.Data, []byte("[")) {
		err := unreadable(json.Unmarshal(envelope.Data, &res.Rows))
		res.kind = res.listKind()
		return res, err
	}
	var detail struct {
		Interview Row `json:"interview"`
	}
	if err := unreadable(json.Unmarshal(envelope.Data, &detail)); err != nil {
		return nil, err
	}
	if detail.Interview != nil {
		res.kind, res.Rows = interview, []Row{detail.Interview}
		return res, nil
	}
	res.kind = counts
	return res, unreadable(json.Unmarshal(envelope.Data, &res.analytics))
}

// listKind tells what the list is of.
func (res *Response) listKind() *kind {
	switch m := res.Meta; {
	case m.Query != nil:
		return search
	case m.Types != nil:
		return synthesisRows
	case m.Type != "":
		return portalBodies
	case len(res.Rows) > 0 && res.Rows[0]["slug"] != nil:
		return campaignList
	case len(res.Rows) > 0 || m.Basis != nil:
		return interviewList
	default:
		return emptyList
	}
}

// unreadable explains a decoder's error, without the value. A nil error stays nil.
func unreadable(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("this is no response of this API: %s is a JSON %s", cmp.Or(wrong.Field, "a part"), wrong.Value)
	}
	return err
}
