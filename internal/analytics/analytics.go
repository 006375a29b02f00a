package analytics

import (
	"iter"
	"time"

	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Query selects a window of interviews. From and To are inclusive and may be
// missing; Campaign is a live campaign's slug, nil for any.
type Query struct {
	Campaign *string
	From, To *timewindow.Moment
	Scope    basis.Scope
}

// Sentiment is the class of an NPS score.
type Sentiment uint8

// The sentiments, in the order of the series.
const (
	Promoter Sentiment = iota
	Passive
	Detractor
	Unknown
	sentiments
)

// String is the contract's word for it.
func (s Sentiment) String() string {
	return [sentiments]string{"promoter", "passive", "detractor", "unknown"}[s]
}

// sentimentOf reads a score from 0 to 10.
func sentimentOf(score float64) Sentiment {
	switch {
	case score >= 9:
		return Promoter
	case score >= 7:
		return Passive
	default:
		return Detractor
	}
}

// Campaign is what a chart calls a campaign.
type Campaign struct {
	// Number identifies the campaign in one response, from 0.
	Number int
	Slug   string
	Label  string
}

// Day is a UTC day, counted from 1970-01-01.
type Day int32

const dayMicroseconds = 24 * 60 * 60 * 1_000_000

// dayOf is the day of a moment in microseconds from 1970.
func dayOf(n int64) Day {
	if n < 0 {
		n -= dayMicroseconds - 1 // towards the past, as a day begins at its midnight
	}
	return Day(n / dayMicroseconds)
}

// Start is the midnight that a day begins at.
func (d Day) Start() time.Time { return time.UnixMicro(int64(d) * dayMicroseconds).UTC() }

// String is YYYY-MM-DD.
func (d Day) String() string { return d.Start().Format(time.DateOnly) }

// Row is one interview of the window. All rows of a campaign share its pointer.
type Row struct {
	Campaign  *Campaign
	Day       Day
	Sentiment Sentiment
}

// Point is one point of a series.
type Point struct {
	Label string
	Value int
}

// Report holds the counts of a window. Total is the number of rows, and the sum of each series.
type Report struct {
	Total int
	// Volume is computed as it is read: two interviews can be centuries of days apart.
	Volume      iter.Seq[Point]
	Campaigns   []Point
	Sentiment   []Point
	Measurement measurement.Provenance
}
