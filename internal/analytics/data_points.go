package analytics

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
)

// campaigns are what charts call a client's campaigns, the lack of one included.
type campaigns struct {
	byID map[uuid.UUID]*Campaign
	none *Campaign
}

func newCampaigns() campaigns {
	return campaigns{
		byID: map[uuid.UUID]*Campaign{},
		none: &Campaign{Slug: "uncategorized", Label: "Uncategorized"},
	}
}

func (c campaigns) add(id uuid.UUID, slug string, label *string) {
	c.byID[id] = &Campaign{Number: c.len(), Slug: slug, Label: *cmp.Or(label, &slug)}
}

func (c campaigns) len() int { return 1 + len(c.byID) }

// row is what charts show of a data point.
func (c campaigns) row(p db.ListDataPointsRow) (Row, error) {
	row := Row{Campaign: c.none, Day: dayOf(p.CreatedAt.UnixMicro()), Sentiment: Unknown}
	if p.CampaignID != nil {
		if row.Campaign = c.byID[*p.CampaignID]; row.Campaign == nil {
			return row, apierror.Internal(errors.New("an interview's campaign does not exist"))
		}
	}
	if p.NPSScore != nil {
		row.Sentiment = sentimentOf(*p.NPSScore)
	}
	return row, nil
}
