package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
)

// Next seals the position that the next page starts after.
type Next func(page.Position) string

// Interviews writes an answer of interviews as the caller may see them, one by
// one as they are read: the bytes that the generated types would give, but that
// stored JSON goes out as it came in.
type Interviews struct {
	caller access.Caller
	body   []byte
	detail bool
	empty  bool

	identity, transcripts, customExtraction, rawExtraction bool
}

// NewInterviewList begins a page of interviews, appended to an empty buffer.
func NewInterviewList(buffer []byte, caller access.Caller) *Interviews {
	return newInterviews(append(buffer, `{"data":[`...), caller, false)
}

// NewInterviewDetail begins an answer of one interview.
func NewInterviewDetail(buffer []byte, caller access.Caller) *Interviews {
	return newInterviews(append(buffer, `{"data":{"interview":`...), caller, true)
}

func newInterviews(body []byte, caller access.Caller, detail bool) *Interviews {
	return &Interviews{
		caller: caller, body: body, detail: detail, empty: true,
		identity:         caller.Has(access.ReadCustomerIdentity),
		transcripts:      caller.Has(access.ReadTranscripts),
		customExtraction: caller.Has(access.ReadCustomExtraction),
		rawExtraction:    detail && caller.Has(access.ReadRawExtraction),
	}
}

// Add writes one interview. Without its scope a gated field is left out.
func (a *Interviews) Add(i *interview.Interview) {
	b := a.body
	if !a.empty {
		b = append(b, ',')
	}
	a.empty = false
	b = appendText(append(b, `{"best_quote":`...), i.BestQuote)
	b = appendText(append(b, `,"churn_risk":`...), i.ChurnRisk)
	b = appendUUID(append(b, `,"client_id":`...), i.ClientID)
	b = append(b, `,"conversation_goal_id":`...)
	if i.CampaignID.Valid {
		b = appendUUID(b, i.CampaignID.UUID)
	} else {
		b = append(b, "null"...)
	}
	b = appendTime(append(b, `,"created_at":`...), i.CreatedAt)
	if a.customExtraction {
		b = appendStored(append(b, `,"custom_extraction":`...), i.CustomExtraction)
	}
	b = appendText(append(b, `,"customer_sentiment":`...), i.CustomerSentiment)
	b = appendNumber(append(b, `,"duration_seconds":`...), i.DurationSeconds)
	b = appendUUID(append(b, `,"id":`...), i.ID)
	b = appendText(append(b, `,"interview_type":`...), i.InterviewType)
	b = appendNumber(append(b, `,"nps_score":`...), i.NPSScore)
	if a.identity {
		b = appendStored(append(b, `,"participant_email":`...), i.ParticipantEmail)
	}
	b = appendText(append(b, `,"participant_name":`...), i.ParticipantName)
	if a.rawExtraction {
		b = appendStored(append(b, `,"raw_extraction":`...), i.RawExtraction)
	}
	b = appendText(append(b, `,"status":`...), i.Status)
	if a.transcripts {
		b = appendStored(append(b, `,"transcript":`...), i.Transcript)
	}
	b = append(b, '}')
	a.body = b
}

// End writes what a page says of itself, and returns the whole answer.
func (a *Interviews) End(found interview.List, next Next) ([]byte, error) {
	m := a.meta(found.Count, found.Measurement)
	paged(&m, found.Next, next)
	return a.end("]", m)
}

// EndDetail does the same for one interview.
func (a *Interviews) EndDetail(stands measurement.Statement) ([]byte, error) {
	return a.end("}", a.meta(1, stands))
}

func (a *Interviews) meta(count int, stands measurement.Statement) api.Meta {
	m := meta(a.caller, count, stands)
	m.IncludesCustomerIdentity = a.identity
	m.IncludesTranscripts = a.transcripts
	m.IncludesCustomExtraction = a.customExtraction
	m.IncludesRawExtraction = a.rawExtraction
	return m
}

func (a *Interviews) end(bracket string, m api.Meta) ([]byte, error) {
	a.body = append(append(a.body, bracket...), `,"meta":`...)
	var err error
	if a.body, err = appendMeta(a.body, m); err != nil {
		return nil, err
	}
	return append(a.body, "}\n"...), nil
}
