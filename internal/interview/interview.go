package interview

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Interview is one usable interview as the database sent it. Its texts
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

	// Nil also when the caller may not see them.
	ParticipantEmail json.RawMessage
	Transcript       json.RawMessage
	CustomExtraction json.RawMessage
	RawExtraction    json.RawMessage // nil in a list, too
}

// decode reads interviews into this one, without a copy of their texts. more are the
// columns that a list has not.
func (i *Interview) decode(rows pgx.Rows, more ...postgres.Column) *postgres.RowDecoder {
	return postgres.NewRowDecoder(rows, append([]postgres.Column{
		{Name: "id", To: &i.ID},
		{Name: "client_id", To: &i.ClientID},
		{Name: "created_at", To: &i.CreatedAt},
		{Name: "campaign_id", To: &i.CampaignID},
		{Name: "participant_name", To: &i.ParticipantName},
		{Name: "interview_type", To: &i.InterviewType},
		{Name: "status", To: &i.Status},
		{Name: "duration_seconds", To: &i.DurationSeconds},
		{Name: "nps_score", To: &i.NPSScore},
		{Name: "customer_sentiment", To: &i.CustomerSentiment},
		{Name: "churn_risk", To: &i.ChurnRisk},
		{Name: "best_quote", To: &i.BestQuote},
		{Name: "participant_email", To: &i.ParticipantEmail},
		{Name: "transcript", To: &i.Transcript},
		{Name: "custom_extraction", To: &i.CustomExtraction},
	}, more...)...)
}

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
