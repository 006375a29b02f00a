package analytics

import (
	"cmp"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/apierror"
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
	c.byID[id] = &Campaign{Number: c.len(), Slug: slug, Label: *cmp.Or(label, &slug)}
}

func (c campaigns) len() int { return 1 + len(c.byID) }

// dataPoint is one row of the query, reused for the next: a row of its own for each of
// a million would be garbage.
type dataPoint struct {
	at       postgres.Microseconds
	id       uuid.UUID
	campaign uuid.NullUUID
	score    pgtype.Float8
}

func (p *dataPoint) decode(rows pgx.Rows) *postgres.RowDecoder {
	return postgres.NewRowDecoder(rows,
		postgres.Column{Name: "created_at", To: &p.at},
		postgres.Column{Name: "id", To: &p.id},
		postgres.Column{Name: "campaign_id", To: &p.campaign},
		postgres.Column{Name: "nps_score", To: &p.score},
	)
}

// row is what charts show of a data point.
func (c campaigns) row(p *dataPoint) (Row, error) {
	row := Row{Campaign: c.none, Day: dayOf(int64(p.at)), Sentiment: Unknown}
	if p.campaign.Valid {
		if row.Campaign = c.byID[p.campaign.UUID]; row.Campaign == nil {
			return row, apierror.Internal(errors.New("an interview's campaign does not exist"))
		}
	}
	if p.score.Valid {
		row.Sentiment = sentimentOf(p.score.Float64)
	}
	return row, nil
}
