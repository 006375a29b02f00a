package analytics

import (
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/postgres"
)

// campaigns are what charts call a client's campaigns, the lack of one included.
type campaigns struct {
	byID map[[16]byte]*Campaign
	none *Campaign
}

func newCampaigns() campaigns {
	return campaigns{
		byID: map[[16]byte]*Campaign{},
		none: &Campaign{Slug: "uncategorized", Label: "Uncategorized"},
	}
}

func (c campaigns) add(id uuid.UUID, slug string, label *string) {
	named := &Campaign{Number: c.len(), Slug: slug, Label: slug}
	if label != nil {
		named.Label = *label
	}
	c.byID[id] = named
}

func (c campaigns) len() int { return 1 + len(c.byID) }

const dayMicroseconds = dayLength * 1_000_000

// pulse is one row of the statement.
type pulse struct {
	day      Day
	id       uuid.UUID
	campaign uuid.NullUUID
	score    pgtype.Float8
}

// pulseOf takes a row apart. Of a million, none is worth a value of its own on
// the way.
func pulseOf(v *postgres.Values) pulse {
	p := pulse{day: dayOfMicroseconds(v.Microseconds(0)), id: v.UUID(1), score: v.Float(3)}
	if !v.Null(2) {
		p.campaign = uuid.NullUUID{UUID: v.UUID(2), Valid: true}
	}
	return p
}

// row is what charts show of a pulse.
func (c campaigns) row(p pulse) (Row, error) {
	row := Row{Campaign: c.none, Day: p.day, Sentiment: Unknown}
	if p.campaign.Valid {
		if row.Campaign = c.byID[p.campaign.UUID]; row.Campaign == nil {
			return row, fault.Unexpected(errors.New("an interview's campaign does not exist"))
		}
	}
	if p.score.Valid {
		row.Sentiment = sentimentOf(p.score.Float64)
	}
	return row, nil
}

// dayOfMicroseconds is the day of a moment counted from 1970.
func dayOfMicroseconds(n int64) Day {
	if n < 0 {
		n -= dayMicroseconds - 1 // towards the past, as a day begins at its midnight
	}
	return Day(n / dayMicroseconds)
}
