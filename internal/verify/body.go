package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// saved is one value of the input: a response's body, alone or beside its request.
type saved struct {
	Request  *string         `json:"request"`
	Response json.RawMessage `json:"response"`

	Data  json.RawMessage `json:"data"`
	Meta  json.RawMessage `json:"meta"`
	Error *string         `json:"error"`
	Code  *string         `json:"code"`
}

// body is a response to verify.
type body struct {
	kind    kind
	request *request // nil: not known
	data    json.RawMessage
	list    []json.RawMessage // of a list route
	meta    meta
	// present are the names that meta has.
	present map[string]json.RawMessage
	// refused is an error response's code.
	refused string
}

type meta struct {
	ClientID   string    `json:"client_id"`
	Count      *int      `json:"count"`
	HasMore    *bool     `json:"has_more"`
	NextCursor *string   `json:"next_cursor"`
	Types      []string  `json:"types"`
	Type       string    `json:"type"`
	Query      *string   `json:"query"`
	Mode       string    `json:"measurement_mode"`
	Basis      *basis    `json:"measurement_basis"`
	Total      *int      `json:"measurement_total_count"`
	AsOf       *string   `json:"measurement_as_of"`
	Version    *string   `json:"measurement_contract_version"`
	CountBasis *string   `json:"measurement_count_basis"`
	Omitted    *[]string `json:"measurement_omitted_fields"`
}

// basis is a MeasurementQueryBasis or a SavedMeasurementBasis.
type basis struct {
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

// kind is which resource a response is of.
type kind string

const (
	interviewList kind = "interviews"
	interview     kind = "interview"
	campaignList  kind = "campaigns"
	synthesisRows kind = "synthesis"
	portalBodies  kind = "portal synthesis"
	analytics     kind = "analytics"
	search        kind = "search"
	emptyList     kind = "an empty list"
	refusal       kind = "an error"
)

// parseBody reads a value; given is the request that goes for values that name none.
func parseBody(value []byte, given *request) (*body, error) {
	var s saved
	if err := json.Unmarshal(value, &s); err != nil {
		return nil, unreadable(err)
	}
	b := &body{request: given}
	if s.Response != nil {
		if s.Request != nil {
			var err error
			if b.request, err = parseRequest(*s.Request); err != nil {
				return nil, err
			}
			b.request.exact = true
		}
		response := s.Response
		s = saved{}
		if err := json.Unmarshal(response, &s); err != nil {
			return nil, unreadable(err)
		}
	}
	switch {
	case s.Data == nil && s.Meta == nil && s.Error != nil && s.Code != nil:
		b.kind, b.refused = refusal, *s.Code
		return b, nil
	case s.Data == nil || s.Meta == nil:
		return nil, errors.New("this is no response of this API: it has no data and meta")
	}
	b.data = s.Data
	if err := json.Unmarshal(s.Meta, &b.meta); err != nil {
		return nil, fmt.Errorf("meta: %w", unreadable(err))
	}
	if err := json.Unmarshal(s.Meta, &b.present); err != nil {
		return nil, fmt.Errorf("meta: %w", unreadable(err))
	}
	if bytes.HasPrefix(s.Data, []byte("[")) {
		if err := json.Unmarshal(s.Data, &b.list); err != nil {
			return nil, fmt.Errorf("data: %w", unreadable(err))
		}
	}
	return b, b.recognize()
}

// recognize tells the resource by the response's own shape.
func (b *body) recognize() error {
	var names map[string]json.RawMessage
	first := b.data
	if len(b.list) > 0 {
		first = b.list[0]
	}
	if b.list == nil || len(b.list) > 0 {
		if err := json.Unmarshal(first, &names); err != nil || names == nil {
			return errors.New("this is no response of this API: its data is neither an object nor a list of objects")
		}
	}
	has := func(name string) bool { _, ok := names[name]; return ok }
	switch {
	case b.list == nil && has("interview"):
		b.kind = interview
	case b.list == nil && has("volume") && has("rows"):
		b.kind = analytics
	case b.list == nil:
		return errors.New("this is no response of this API: its data is neither a list, nor an interview, nor analytics")
	case b.meta.Query != nil:
		b.kind = search
	case b.meta.Types != nil:
		b.kind = synthesisRows
	case b.meta.Type != "":
		b.kind = portalBodies
	case has("status") && has("created_at"):
		b.kind = interviewList
	case has("slug"):
		b.kind = campaignList
	case len(b.list) > 0:
		return errors.New("this is no response of this API: its rows are of no resource that it has")
	case b.meta.Basis != nil:
		b.kind = interviewList
	default:
		b.kind = emptyList
	}
	return nil
}

// route is the request's, for kinds that have one only.
func (k kind) route() string {
	return map[kind]string{
		interviewList: interviewsRoute, interview: detailRoute, campaignList: campaignsRoute, synthesisRows: synthesisRoute,
		portalBodies: synthesisRoute, analytics: analyticsRoute, search: searchRoute,
	}[k]
}

// unreadable words a decoder's error for people.
func unreadable(err error) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("this is not JSON: %w (at byte %d of the response)", err, syntax.Offset)
	case errors.As(err, &wrong):
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
