package render

import (
	"encoding/json"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/page"
)

// InterviewList is one page of interviews as the caller may see them.
func InterviewList(found interview.List, next Next, caller access.Caller) api.InterviewListResponse {
	data := make([]api.Interview, len(found.Interviews))
	for i, one := range found.Interviews {
		data[i] = interviewOf(one, caller, false)
	}
	m := meta(caller, len(data), found.Measurement)
	includeInterviewFields(&m, caller)
	paged(&m, found.Next, next)
	return api.InterviewListResponse{Data: data, Meta: m}
}

// InterviewDetail is one interview as the caller may see it.
func InterviewDetail(found interview.Detail, caller access.Caller) api.InterviewDetailResponse {
	m := meta(caller, 1, found.Measurement)
	includeInterviewFields(&m, caller)
	m.IncludesRawExtraction = caller.Has(access.ReadRawExtraction)
	return api.InterviewDetailResponse{
		Data: api.InterviewDetail{Interview: interviewOf(found.Interview, caller, true)},
		Meta: m,
	}
}

func interviewOf(i interview.Interview, caller access.Caller, detail bool) api.Interview {
	out := api.Interview{
		ID: i.ID, ClientID: i.ClientID, CreatedAt: i.CreatedAt, ConversationGoalID: i.CampaignID,
		ParticipantName: i.ParticipantName, InterviewType: i.InterviewType, Status: i.Status,
		DurationSeconds: i.DurationSeconds, NpsScore: i.NPSScore, CustomerSentiment: i.CustomerSentiment,
		ChurnRisk: i.ChurnRisk, BestQuote: i.BestQuote,
		ParticipantEmail: gated(i.ParticipantEmail, caller.Has(access.ReadCustomerIdentity)),
		Transcript:       gated(i.Transcript, caller.Has(access.ReadTranscripts)),
		CustomExtraction: gated(i.CustomExtraction, caller.Has(access.ReadCustomExtraction)),
	}
	if detail {
		out.RawExtraction = gated(i.RawExtraction, caller.Has(access.ReadRawExtraction))
	}
	return out
}

// gated leaves a field out without the scope; with it, nothing stored is null.
func gated(value json.RawMessage, allowed bool) json.RawMessage {
	switch {
	case !allowed:
		return nil
	case value == nil:
		return json.RawMessage("null")
	default:
		return value
	}
}

func includeInterviewFields(m *api.Meta, caller access.Caller) {
	m.IncludesCustomerIdentity = caller.Has(access.ReadCustomerIdentity)
	m.IncludesTranscripts = caller.Has(access.ReadTranscripts)
	m.IncludesCustomExtraction = caller.Has(access.ReadCustomExtraction)
}

// Next seals the position that the next page starts after.
type Next func(page.Position) string
