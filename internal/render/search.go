package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/search"
)

// SearchHits appends the hits of a search for query to an empty buffer.
func SearchHits(b []byte, found search.Found, query string, caller auth.Caller) ([]byte, error) {
	data := make([]api.IntelligenceSearchHit, len(found.Hits))
	for i, hit := range found.Hits {
		data[i] = api.IntelligenceSearchHit{
			ID: hit.ID, ConversationGoal: hit.CampaignSlug, CreatedAt: basis.Timestamp(hit.CreatedAt), BestQuote: hit.BestQuote,
			PrimaryPainPoints: hit.PrimaryPainPoints, FeatureRequests: hit.FeatureRequests,
			ProductFeedback: hit.ProductFeedback, CompetitorMentions: hit.CompetitorMentions,
			MatchedFields: []api.IntelligenceSearchField{},
		}
		for _, field := range hit.Matched() {
			data[i].MatchedFields = append(data[i].MatchedFields, api.IntelligenceSearchField(field))
		}
	}
	m := meta(caller, len(data), found.Measurement)
	m.IncludesCustomExtraction = true
	body, err := appendWith(b, api.IntelligenceSearchResponse{Data: data, Meta: searchMeta(m, query)})
	return append(body, '\n'), err
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
