package render

import (
	"github.com/oapi-codegen/runtime/types"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// SynthesisCollection encodes one page of published rows. next is the cursor of the page
// after it.
func SynthesisCollection(found synthesis.DocumentList, next *string, caller auth.Caller) ([]byte, error) {
	names := make([]string, len(found.Types))
	for i, t := range found.Types {
		names[i] = string(t)
	}
	m := meta(caller, len(found.Documents), found.Measurement)
	m.Types = &names
	return appendPage(len(found.Documents), next, func(b []byte, i int) ([]byte, error) {
		d := found.Documents[i]
		row := SynthesisDocument(d)
		row.Document = nil
		return appendWith(b, row, stored{"document", d.Document})
	}, m)
}

// SynthesisPortal encodes one page of a surface's published bodies. next is the cursor of the
// page after it.
func SynthesisPortal(found synthesis.BodyList, next *string, caller auth.Caller) ([]byte, error) {
	m := meta(caller, len(found.Bodies), found.Measurement)
	m.Type = new(api.SynthesisType(found.Type))
	// The daily feed's bodies name participants.
	m.IncludesCustomerIdentity = found.Type == synthesis.DailyFeed
	return appendPage(len(found.Bodies), next, func(b []byte, i int) ([]byte, error) {
		return appendBody(b, found.Bodies[i])
	}, m)
}

// SynthesisDocument is one row of the collection.
func SynthesisDocument(d synthesis.Document) api.SynthesisDocumentRow {
	row := api.SynthesisDocumentRow{
		ID: d.ID, ClientID: d.ClientID, SynthesisType: api.SynthesisType(d.SynthesisType), LaneID: d.LaneID,
		ConversationGoalID: d.CampaignID, Document: d.Document, ContractVersion: d.ContractVersion,
		Status: api.SynthesisDocumentRowStatusPublished, Cadence: d.Cadence,
		LastRefreshed: optionalTimestamp(d.LastRefreshed), CreatedAt: basis.Timestamp(d.CreatedAt), UpdatedAt: basis.Timestamp(d.UpdatedAt),
	}
	if d.FeedDate != nil {
		row.FeedDate = &types.Date{Time: *d.FeedDate}
	}
	return row
}
