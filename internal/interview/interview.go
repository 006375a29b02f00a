package interview

import (
	"encoding/json"
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

// Interview is one usable interview of a list as the database sent it. Its texts and its
// JSON are in the connection's buffer: they are valid until the next one is read. Nil is
// null. Appended as it is read, a page takes a nineteenth of the time that
// scanning and encoding the generated types takes (BenchmarkInterviews in render).
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

	// Nil also when the caller may not see them.
	ParticipantEmail json.RawMessage
	Transcript       json.RawMessage
	CustomExtraction json.RawMessage
}

// decode reads interviews into this one, without a copy of their texts.
func (i *Interview) decode(rows pgx.Rows) *postgres.RowDecoder {
	return postgres.NewRowDecoder(rows,
		postgres.Column{Name: "id", To: &i.ID},
		postgres.Column{Name: "client_id", To: &i.ClientID},
		postgres.Column{Name: "created_at", To: &i.CreatedAt},
		postgres.Column{Name: "campaign_id", To: &i.CampaignID},
		postgres.Column{Name: "participant_name", To: &i.ParticipantName},
		postgres.Column{Name: "interview_type", To: &i.InterviewType},
		postgres.Column{Name: "status", To: &i.Status},
		postgres.Column{Name: "duration_seconds", To: &i.DurationSeconds},
		postgres.Column{Name: "nps_score", To: &i.NPSScore},
		postgres.Column{Name: "customer_sentiment", To: &i.CustomerSentiment},
		postgres.Column{Name: "churn_risk", To: &i.ChurnRisk},
		postgres.Column{Name: "best_quote", To: &i.BestQuote},
		postgres.Column{Name: "participant_email", To: &i.ParticipantEmail},
		postgres.Column{Name: "transcript", To: &i.Transcript},
		postgres.Column{Name: "custom_extraction", To: &i.CustomExtraction},
	)
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

// List is the number of interviews that take received, the position after which the next
// page starts, nil after the last, and the provenance of the page's numbers.
type List struct {
	Count       int
	Next        *page.Position
	Measurement measurement.Provenance
}
