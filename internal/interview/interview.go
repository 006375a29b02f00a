package interview

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Interview is one usable interview of a list as the database sent it. Its texts
// and its JSON are borrowed from the connection: they hold until the next one is
// read. Nil is null.
type Interview struct {
	ID                uuid.UUID
	ClientID          uuid.UUID
	CreatedAt         time.Time
	CampaignID        uuid.NullUUID
	ParticipantName   []byte
	InterviewType     []byte
	Status            []byte
	DurationSeconds   pgtype.Float8
	NPSScore          pgtype.Float8
	CustomerSentiment []byte
	ChurnRisk         []byte
	BestQuote         []byte

	// These are JSON; nil also when the caller may not see them.
	ParticipantEmail []byte
	Transcript       []byte
	CustomExtraction []byte
}

// rows reads interviews one by one, without a copy of their texts.
type rows struct {
	*postgres.RowDecoder
	one Interview
}

func newRows(found pgx.Rows) *rows {
	r := &rows{}
	i := &r.one
	r.RowDecoder = postgres.NewRowDecoder(found,
		postgres.Column{Name: "id", To: postgres.UUID(&i.ID)},
		postgres.Column{Name: "client_id", To: postgres.UUID(&i.ClientID)},
		postgres.Column{Name: "created_at", To: postgres.Time(&i.CreatedAt)},
		postgres.Column{Name: "campaign_id", To: postgres.NullUUID(&i.CampaignID)},
		postgres.Column{Name: "participant_name", To: postgres.Text(&i.ParticipantName)},
		postgres.Column{Name: "interview_type", To: postgres.Text(&i.InterviewType)},
		postgres.Column{Name: "status", To: postgres.Text(&i.Status)},
		postgres.Column{Name: "duration_seconds", To: postgres.Float8(&i.DurationSeconds)},
		postgres.Column{Name: "nps_score", To: postgres.Float8(&i.NPSScore)},
		postgres.Column{Name: "customer_sentiment", To: postgres.Text(&i.CustomerSentiment)},
		postgres.Column{Name: "churn_risk", To: postgres.Text(&i.ChurnRisk)},
		postgres.Column{Name: "best_quote", To: postgres.Text(&i.BestQuote)},
		postgres.Column{Name: "participant_email", To: postgres.JSONB(&i.ParticipantEmail)},
		postgres.Column{Name: "transcript", To: postgres.JSONB(&i.Transcript)},
		postgres.Column{Name: "custom_extraction", To: postgres.JSONB(&i.CustomExtraction)},
	)
	return r
}

// Detail is one usable interview with all its fields. Its JSON is nil also when
// the caller may not see it.
type Detail = db.GetInterviewRow

// Take receives interviews one by one, in order. False ends the page before the
// interview; the first one is always taken.
type Take func(*Interview) bool

// ListQuery asks for one page. CampaignID and Status nil mean any;
// MatchesNothing says that a filter's value cannot match.
type ListQuery struct {
	MatchesNothing bool
	CampaignID     *uuid.UUID
	Status         *string
	Created        timewindow.Window
	Page           page.Request
	Scope          basis.Scope
}

// List says how many interviews were handed out, where the walk goes on, nil
// when it ends here, and what the page's numbers stand on.
type List struct {
	Count       int
	Next        *page.Position
	Measurement measurement.Provenance
}
