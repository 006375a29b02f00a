package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/search"
)

// SearchHits are the hits of a search for query.
func SearchHits(found search.Found, query string, caller auth.Caller) api.IntelligenceSearchResponse {
	data := make([]api.IntelligenceSearchHit, len(found.Hits))
	for i, hit := range found.Hits {
		data[i] = hitOf(hit)
	}
	m := meta(caller, len(data), found.Measurement)
	m.IncludesCustomExtraction = true
	return api.IntelligenceSearchResponse{Data: data, Meta: searchMeta(m, query)}
}

func hitOf(h search.Hit) api.IntelligenceSearchHit {
	matched := []api.IntelligenceSearchField{}
	for _, field := range h.Matched() {
		matched = append(matched, api.IntelligenceSearchField(field))
	}
	return api.IntelligenceSearchHit{
		ID: h.ID, ConversationGoal: h.CampaignSlug, CreatedAt: timestamp(h.CreatedAt), BestQuote: h.BestQuote,
		PrimaryPainPoints: h.PrimaryPainPoints, FeatureRequests: h.FeatureRequests,
		ProductFeedback: h.ProductFeedback, CompetitorMentions: h.CompetitorMentions, MatchedFields: matched,
	}
}

// searchMeta is meta with the text that was searched. The contract composes it
// with allOf, which is generated as a type of its own.
func searchMeta(m api.Meta, query string) api.SearchMeta {
	return api.SearchMeta{
		ClientID: m.ClientID, Count: m.Count, Query: query,
		IncludesCustomerIdentity: m.IncludesCustomerIdentity, IncludesTranscripts: m.IncludesTranscripts,
		IncludesRawExtraction: m.IncludesRawExtraction, IncludesCustomExtraction: m.IncludesCustomExtraction,
		MeasurementMode: m.MeasurementMode, MeasurementBasis: m.MeasurementBasis,
		MeasurementTotalCount: m.MeasurementTotalCount, MeasurementAsOf: m.MeasurementAsOf,
		MeasurementContractVersion: m.MeasurementContractVersion, MeasurementCountBasis: m.MeasurementCountBasis,
		MeasurementOmittedFields: m.MeasurementOmittedFields,
	}
}
