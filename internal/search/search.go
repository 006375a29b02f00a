package search

import (
	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
)

// Query asks for the newest interviews that hold a text. Campaign is a slug, nil
// for any.
type Query struct {
	Text     string
	Campaign *string
	Limit    int
	Scope    basis.Scope
}

// Field is one that search looks into.
type Field string

// The fields, in their order.
const (
	BestQuote          Field = "best_quote"
	PrimaryPainPoints  Field = "primary_pain_points"
	FeatureRequests    Field = "feature_requests"
	ProductFeedback    Field = "product_feedback"
	CompetitorMentions Field = "competitor_mentions"
)

// Hit is an interview that holds the text. A field is nil when nothing was extracted.
type Hit db.ListNewestSearchHitsRow

// Matched are the fields that hold the text, in their order. The database numbers
// them from 1.
func (h Hit) Matched() []Field {
	matched := make([]Field, len(h.Fields))
	for i, number := range h.Fields {
		matched[i] = [...]Field{BestQuote, PrimaryPainPoints, FeatureRequests, ProductFeedback, CompetitorMentions}[number-1]
	}
	return matched
}

// Found is the newest hits and the provenance of their number.
type Found struct {
	Hits        []Hit
	Measurement measurement.Provenance
}
