package render

import (
	"github.com/oapi-codegen/runtime/types"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// SynthesisCollection is one page of published rows.
func SynthesisCollection(
	found synthesis.DocumentList, next *string, caller auth.Caller,
) api.SynthesisListResponse {
	data := make([]api.SynthesisItem, len(found.Documents))
	for i, one := range found.Documents {
		data[i] = SynthesisDocument(one)
	}
	m := meta(caller, len(data), found.Measurement)
	paged(&m, next)
	names := make([]string, len(found.Types))
	for i, t := range found.Types {
		names[i] = string(t)
	}
	m.Types = &names
	return api.SynthesisListResponse{Data: data, Meta: m}
}

// SynthesisPortal is one page of a surface's published bodies.
func SynthesisPortal(found synthesis.BodyList, next *string, caller auth.Caller) api.SynthesisListResponse {
	data := make([]api.SynthesisItem, len(found.Bodies))
	for i, one := range found.Bodies {
		data[i] = publishedBody(one)
	}
	m := meta(caller, len(data), found.Measurement)
	paged(&m, next)
	surface := api.SynthesisType(found.Type)
	m.Type = &surface
	// The daily feed's bodies name participants.
	m.IncludesCustomerIdentity = found.Type == synthesis.DailyFeed
	return api.SynthesisListResponse{Data: data, Meta: m}
}

// SynthesisDocument is one row of the collection.
func SynthesisDocument(d synthesis.Document) api.SynthesisDocumentRow {
	row := api.SynthesisDocumentRow{
		ID: d.ID, ClientID: d.ClientID, SynthesisType: api.SynthesisType(d.Type), LaneID: d.LaneID,
		ConversationGoalID: d.CampaignID, Document: d.Document, ContractVersion: d.ContractVersion,
		Status: api.SynthesisDocumentRowStatusPublished, Cadence: d.Cadence,
		LastRefreshed: optionalTimestamp(d.LastRefreshed), CreatedAt: timestamp(d.CreatedAt), UpdatedAt: timestamp(d.UpdatedAt),
	}
	if d.FeedDate != nil {
		row.FeedDate = &types.Date{Time: *d.FeedDate}
	}
	return row
}
