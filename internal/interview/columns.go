package interview

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
)

// columns is how many values a row of each query has: those of an interview in
// the order of its fields, the raw extraction on detail only.
const (
	listColumns   = 15
	detailColumns = 16
)

// rowReader reads interviews without a copy of their texts.
type rowReader struct {
	values *postgres.Values
	one    Interview
	err    error
}

func newRowReader(rows pgx.Rows) rowReader { return rowReader{values: postgres.NewValues(rows)} }

func (r *rowReader) next() bool {
	v := r.values
	if !v.Next() {
		return false
	}
	if v.Len() != listColumns && v.Len() != detailColumns {
		r.err = fmt.Errorf("an interview has %d columns", v.Len())
		return false
	}
	i := &r.one
	i.ID, i.ClientID, i.CreatedAt = v.UUID(0), v.UUID(1), v.Time(2)
	i.CampaignID = uuid.NullUUID{}
	if !v.Null(3) {
		i.CampaignID = uuid.NullUUID{UUID: v.UUID(3), Valid: true}
	}
	i.ParticipantName, i.InterviewType, i.Status = v.Text(4), v.Text(5), v.Text(6)
	i.DurationSeconds, i.NPSScore = v.Float(7), v.Float(8)
	i.CustomerSentiment, i.ChurnRisk, i.BestQuote = v.Text(9), v.Text(10), v.Text(11)
	i.ParticipantEmail, i.Transcript, i.CustomExtraction = v.JSON(12), v.JSON(13), v.JSON(14)
	if v.Len() == detailColumns {
		i.RawExtraction = v.JSON(15)
	}
	return v.Err() == nil
}

// fault is why the rows ended before their end.
func (r *rowReader) fault() error {
	if r.err != nil {
		return r.err
	}
	return r.values.Err()
}
