package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// Envelope is the body of a response, with its data and meta undecoded.
type Envelope struct {
	Data    json.RawMessage `json:"data"`
	Meta    json.RawMessage `json:"meta"`
	Error   *string         `json:"error"`
	Code    *string         `json:"code"`
	Details string          `json:"details"`
}

// Response is a decoded response.
type Response struct {
	// List is the data of a list route, Object that of any other.
	List   []json.RawMessage
	Object map[string]json.RawMessage
	Meta   Meta

	data     json.RawMessage
	present  map[string]json.RawMessage // the fields of meta
	request  *request                   // nil: not known
	resource *resource
	rows     []row  // of a list with an order, once it is checked
	refused  string // an error response's code
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
	AsOf       *string      `json:"measurement_as_of"`
	Version    *string      `json:"measurement_contract_version"`
	CountBasis *string      `json:"measurement_count_basis"`
	Omitted    *[]string    `json:"measurement_omitted_fields"`

	Identity         bool `json:"includes_customer_identity"`
	Transcripts      bool `json:"includes_transcripts"`
	RawExtraction    bool `json:"includes_raw_extraction"`
	CustomExtraction bool `json:"includes_custom_extraction"`
}

// statedBasis is a MeasurementQueryBasis or a SavedMeasurementBasis of the contract.
type statedBasis struct {
	Schema         string   `json:"schema"`
	PreviewID      string   `json:"preview_id"`
	Captured       *bool    `json:"captured"`
	AsOf           string   `json:"as_of"`
	Version        string   `json:"measurement_contract_version"`
	ScopeHash      string   `json:"scope_hash"`
	MembershipHash string   `json:"membership_hash"`
	IDs            []string `json:"source_interview_ids"`
	Count          *int     `json:"source_count"`
}

// resource is what a response is of. The route is empty where several have it.
type resource struct {
	name, route string
	check       func(*Response, *Report) error
}

var (
	interviewList = &resource{"interviews", interviewsRoute, (*Response).checkInterviews}
	interview     = &resource{"interview", detailRoute, (*Response).checkDetail}
	campaignList  = &resource{"campaigns", campaignsRoute, (*Response).checkRows}
	synthesisRows = &resource{"synthesis", synthesisRoute, (*Response).checkSynthesisRows}
	portalBodies  = &resource{"portal synthesis", synthesisRoute, (*Response).checkPortal}
	analytics     = &resource{"analytics", analyticsRoute, (*Response).checkAnalytics}
	search        = &resource{"search", searchRoute, (*Response).checkSearch}
	emptyList     = &resource{"an empty list", "", (*Response).checkEmptyList}
	refusal       = &resource{"an error", "", (*Response).skipRefusal}
)

// parseResponse reads a value of the input: a response's body, alone or with its
// request. given is the request of a body alone.
func parseResponse(value []byte, given *request) (*Response, error) {
	var saved struct {
		Request  *string         `json:"request"`
		Response json.RawMessage `json:"response"`
	}
	if err := json.Unmarshal(value, &saved); err != nil {
		return nil, unreadable(err)
	}
	if saved.Response != nil {
		value = saved.Response
	}
	var body Envelope
	if err := json.Unmarshal(value, &body); err != nil {
		return nil, unreadable(err)
	}
	if saved.Response != nil && saved.Request != nil {
		return body.Decode(*saved.Request)
	}
	return body.decode(given)
}

// Decode decodes the response to a request, whose address is as Verify has it.
func (e *Envelope) Decode(address string) (*Response, error) {
	asked, err := parseRequest(address)
	if err != nil {
		return nil, err
	}
	asked.exact = true
	return e.decode(asked)
}

func (e *Envelope) decode(asked *request) (*Response, error) {
	res := &Response{request: asked, data: e.Data}
	switch {
	case e.Data == nil && e.Meta == nil && e.Error != nil && e.Code != nil:
		res.resource, res.refused = refusal, *e.Code
		return res, nil
	case e.Data == nil || e.Meta == nil:
		return nil, errors.New("this is no response of this API: it has no data and meta")
	}
	for _, into := range []any{&res.Meta, &res.present} {
		if err := json.Unmarshal(e.Meta, into); err != nil {
			return nil, fmt.Errorf("meta: %w", unreadable(err))
		}
	}
	if bytes.HasPrefix(e.Data, []byte("[")) {
		if err := json.Unmarshal(e.Data, &res.List); err != nil {
			return nil, fmt.Errorf("data: %w", unreadable(err))
		}
		return res, nil
	}
	if err := json.Unmarshal(e.Data, &res.Object); err != nil || res.Object == nil {
		return nil, errNoResource
	}
	return res, nil
}

var errNoResource = errors.New("this is no response of this API: its data is neither an object nor a list of objects")

// recognize determines the resource from the response's shape.
func (res *Response) recognize() error {
	names := res.Object
	if len(res.List) > 0 {
		if err := json.Unmarshal(res.List[0], &names); err != nil || names == nil {
			return errNoResource
		}
	}
	has := func(name string) bool { _, ok := names[name]; return ok }
	switch {
	case res.resource == refusal:
	case res.List == nil && has("interview"):
		res.resource = interview
	case res.List == nil && has("volume") && has("rows"):
		res.resource = analytics
	case res.List == nil:
		return errors.New("this is no response of this API: its data is neither a list, nor an interview, nor analytics")
	case res.Meta.Query != nil:
		res.resource = search
	case res.Meta.Types != nil:
		res.resource = synthesisRows
	case res.Meta.Type != "":
		res.resource = portalBodies
	case has("status") && has("created_at"):
		res.resource = interviewList
	case has("slug"):
		res.resource = campaignList
	case len(res.List) > 0:
		return errors.New("this is no response of this API: its rows are of no resource that it has")
	case res.Meta.Basis != nil:
		res.resource = interviewList
	default:
		res.resource = emptyList
	}
	return nil
}

// unreadable explains a decoder's error.
func unreadable(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("this is not JSON: %w (at byte %d of the response)", err, syntax.Offset)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("this is no response of this API: %s is a JSON %s", cmp.Or(wrong.Field, "it"), wrong.Value)
	}
	return err
}

func parseUUID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != 36 {
		return id, fmt.Errorf("%q is no UUID", text)
	}
	return id, nil
}
