package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/search"
)

// SearchHits encodes the hits of a search for query.
func SearchHits(found search.Found, query string, caller auth.Caller) ([]byte, error) {
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
	body, err := appendWith(nil, searchResponse{data, searchMeta{m, query}})
	return append(body, '\n'), err
}

// searchResponse is api.IntelligenceSearchResponse with a Meta that embeds the other
// responses'. The contract composes it with allOf, which is generated as a copy.
type searchResponse struct {
	Data []api.IntelligenceSearchHit `json:"data"`
	Meta searchMeta                  `json:"meta"`
}

type searchMeta struct {
	api.Meta
	Query string `json:"query"`
}
