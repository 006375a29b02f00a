package search

import (
	"time"

	"github.com/google/uuid"

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

// fieldOf is the field that the database means by a number, from 1.
func fieldOf(number int32) Field {
	return [...]Field{BestQuote, PrimaryPainPoints, FeatureRequests, ProductFeedback, CompetitorMentions}[number-1]
}

// Hit is an interview that holds the text. A field is nil when nothing was extracted.
type Hit struct {
	ID                 uuid.UUID
	CampaignSlug       *string
	CreatedAt          time.Time
	BestQuote          *string
	PrimaryPainPoints  *string
	FeatureRequests    *string
	ProductFeedback    *string
	CompetitorMentions *string
	// Matched are the fields that hold the text, in their order.
	Matched []Field
}

// Found is the newest hits and the provenance of their number.
type Found struct {
	Hits        []Hit
	Measurement measurement.Provenance
}
