package render

import (
	"github.com/oapi-codegen/runtime/types"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// SynthesisCollection encodes one page of published rows, and returns how many it holds.
func SynthesisCollection(found synthesis.DocumentList, p Page, caller auth.Caller) ([]byte, int, error) {
	names := make([]string, len(found.Types))
	for i, t := range found.Types {
		names[i] = string(t)
	}
	return appendPage(len(found.Documents), p, func(b []byte, i int) ([]byte, error) {
		d := found.Documents[i]
		row := SynthesisDocument(d)
		row.Document = nil
		return appendWith(b, row, stored{"document", d.Document})
	}, func(rows int) api.Meta {
		m := meta(caller, rows, found.Measurement)
		m.Types = &names
		return m
	})
}

// SynthesisPortal encodes one page of a surface's published bodies, and returns how many it
// holds.
func SynthesisPortal(found synthesis.BodyList, p Page, caller auth.Caller) ([]byte, int, error) {
	return appendPage(len(found.Bodies), p, func(b []byte, i int) ([]byte, error) {
		return appendBody(b, found.Bodies[i])
	}, func(rows int) api.Meta {
		m := meta(caller, rows, found.Measurement)
		m.Type = new(api.SynthesisType(found.Type))
		// The daily feed's bodies name participants.
		m.IncludesCustomerIdentity = found.Type == synthesis.DailyFeed
		return m
	})
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
