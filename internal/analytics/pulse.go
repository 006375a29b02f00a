package analytics

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/fault"
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

// postgresEpoch is the day that PostgreSQL counts time from, 2000-01-01.
const postgresEpoch Day = 10_957

const dayMicroseconds = dayLength * 1_000_000

// pulse is one row of the statement.
type pulse struct {
	day      Day
	id       uuid.UUID
	campaign pgtype.UUID
	score    pgtype.Float8
}

// readBinary takes a pulse from PostgreSQL's binary format. Of a million rows,
// none is worth a value of its own on the way.
func readBinary(values [][]byte) (pulse, error) {
	if len(values) != 4 || len(values[0]) != 8 || len(values[1]) != 16 ||
		len(values[2]) != 16 && values[2] != nil || len(values[3]) != 8 && values[3] != nil {
		return pulse{}, errors.New("a pulse is not in PostgreSQL's binary format")
	}
	p := pulse{
		day: dayOfMicroseconds(int64(binary.BigEndian.Uint64(values[0]))),
		id:  uuid.UUID(values[1]),
	}
	if values[2] != nil {
		p.campaign = pgtype.UUID{Bytes: [16]byte(values[2]), Valid: true}
	}
	if values[3] != nil {
		p.score = pgtype.Float8{Float64: math.Float64frombits(binary.BigEndian.Uint64(values[3])), Valid: true}
	}
	return p, nil
}

// readText does the same by pgx's means: through a pooler that prepares no
// statements, values come as text.
func readText(rows pgx.Rows) (pulse, error) {
	var p pulse
	var at time.Time
	if err := rows.Scan(&at, &p.id, &p.campaign, &p.score); err != nil {
		return pulse{}, err
	}
	p.day = dayOf(at)
	return p, nil
}

// inBinary tells how the rows come.
func inBinary(rows pgx.Rows) bool {
	return !slices.ContainsFunc(rows.FieldDescriptions(), func(f pgconn.FieldDescription) bool {
		return f.Format != pgx.BinaryFormatCode
	})
}

// row is what charts show of a pulse.
func (c campaigns) row(p pulse) (Row, error) {
	row := Row{Campaign: c.none, Day: p.day, Sentiment: Unknown}
	if p.campaign.Valid {
		if row.Campaign = c.byID[p.campaign.Bytes]; row.Campaign == nil {
			return row, fault.Unexpected(errors.New("an interview's campaign does not exist"))
		}
	}
	if p.score.Valid {
		row.Sentiment = sentimentOf(p.score.Float64)
	}
	return row, nil
}

// dayOfMicroseconds is the day of a moment counted from PostgreSQL's epoch.
func dayOfMicroseconds(n int64) Day {
	if n < 0 {
		n -= dayMicroseconds - 1 // towards the past, as a day begins at its midnight
	}
	return postgresEpoch + Day(n/dayMicroseconds)
}
