package render

import (
	"encoding/json"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/measurement"
)

// InterviewList encodes one page of interviews as the caller may see them. next is the
// cursor of the page after it. The bytes are those of the generated types, except that
// stored JSON is unchanged. Encoding 50 rows takes a nineteenth of the generated types'
// time (BenchmarkInterviews).
func InterviewList(found interview.List, next *string, caller auth.Caller) ([]byte, error) {
	return appendPage(len(found.Interviews), next, func(b []byte, i int) ([]byte, error) {
		return appendInterview(b, &found.Interviews[i], caller)
	}, interviewMeta(caller, len(found.Interviews), found.Measurement))
}

// appendInterview appends one interview. A gated field without its scope is absent.
func appendInterview(b []byte, i *interview.Interview, caller auth.Caller) ([]byte, error) {
	b = basis.AppendUUID(append(b, `{"id":"`...), i.ID)
	b = basis.AppendUUID(append(b, `","client_id":"`...), i.ClientID)
	if i.CampaignID != nil {
		b = basis.AppendUUID(append(b, `","conversation_goal_id":"`...), *i.CampaignID)
		b = append(b, '"')
	} else {
		b = append(b, `","conversation_goal_id":null`...)
	}
	b = appendText(append(b, `,"participant_name":`...), i.ParticipantName)
	if caller.Has(auth.ReadCustomerIdentity) {
		b = appendStored(append(b, `,"participant_email":`...), i.ParticipantEmail)
	}
	b = appendText(append(b, `,"interview_type":`...), i.InterviewType)
	b = appendText(append(b, `,"status":`...), &i.Status)
	b, err := appendNumber(append(b, `,"duration_seconds":`...), i.DurationSeconds)
	if err != nil {
		return b, fmt.Errorf("the duration of interview %s: %w", i.ID, err)
	}
	if b, err = appendNumber(append(b, `,"nps_score":`...), i.NPSScore); err != nil {
		return b, fmt.Errorf("the score of interview %s: %w", i.ID, err)
	}
	b = appendText(append(b, `,"customer_sentiment":`...), i.CustomerSentiment)
	b = appendText(append(b, `,"churn_risk":`...), i.ChurnRisk)
	b = appendText(append(b, `,"best_quote":`...), i.BestQuote)
	if caller.Has(auth.ReadTranscripts) {
		b = appendStored(append(b, `,"transcript":`...), i.Transcript)
	}
	if caller.Has(auth.ReadCustomExtraction) {
		b = appendStored(append(b, `,"custom_extraction":`...), i.CustomExtraction)
	}
	b = basis.AppendTime(append(b, `,"created_at":"`...), i.CreatedAt)
	b = append(b, '"')
	return append(b, '}'), nil
}

// InterviewDetail encodes one interview as the caller may see it. Without its scope a gated field is left out.
func InterviewDetail(i interview.Detail, provenance measurement.Provenance, caller auth.Caller) ([]byte, error) {
	null := json.RawMessage("null")
	var documents []stored
	gated := func(field string, scope auth.Scope, document json.RawMessage) json.RawMessage {
		if !caller.Has(scope) {
			return nil
		}
		if document == nil {
			document = null
		}
		documents = append(documents, stored{field, document})
		return null
	}
	m := interviewMeta(caller, 1, provenance)
	m.IncludesRawExtraction = caller.Has(auth.ReadRawExtraction)
	detail := api.InterviewDetailResponse{Meta: m, Data: api.InterviewDetail{Interview: api.Interview{
		ID: i.ID, ClientID: i.ClientID, ConversationGoalID: i.CampaignID, CreatedAt: basis.Timestamp(i.CreatedAt),
		ParticipantName: i.ParticipantName, InterviewType: i.InterviewType, Status: i.Status,
		DurationSeconds: i.DurationSeconds, NpsScore: i.NPSScore, CustomerSentiment: i.CustomerSentiment,
		ChurnRisk: i.ChurnRisk, BestQuote: i.BestQuote,
		// In the order in which they are written.
		ParticipantEmail: gated("participant_email", auth.ReadCustomerIdentity, i.ParticipantEmail),
		Transcript:       gated("transcript", auth.ReadTranscripts, i.Transcript),
		RawExtraction:    gated("raw_extraction", auth.ReadRawExtraction, i.RawExtraction),
		CustomExtraction: gated("custom_extraction", auth.ReadCustomExtraction, i.CustomExtraction),
	}}}
	body, err := appendWith(nil, detail, documents...)
	return append(body, '\n'), err
}

func interviewMeta(caller auth.Caller, count int, provenance measurement.Provenance) api.Meta {
	m := meta(caller, count, provenance)
	m.IncludesCustomerIdentity = caller.Has(auth.ReadCustomerIdentity)
	m.IncludesTranscripts = caller.Has(auth.ReadTranscripts)
	m.IncludesCustomExtraction = caller.Has(auth.ReadCustomExtraction)
	return m
}
