package interview

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Interview is one usable interview. The four gated fields are JSON; nil when
// the caller may not see them or there is none.
type Interview struct {
	ID                uuid.UUID
	ClientID          uuid.UUID
	CreatedAt         time.Time
	CampaignID        *uuid.UUID
	ParticipantName   *string
	InterviewType     *string
	Status            string
	DurationSeconds   *float64
	NPSScore          *float64
	CustomerSentiment *string
	ChurnRisk         *string
	BestQuote         *string

	ParticipantEmail json.RawMessage
	Transcript       json.RawMessage
	CustomExtraction json.RawMessage
	RawExtraction    json.RawMessage // on detail only
}

// ListQuery asks for one page. CampaignID and Status nil mean any;
// MatchesNothing says that a filter's value cannot match.
type ListQuery struct {
	MatchesNothing bool
	CampaignID     *uuid.UUID
	Status         *string
	Created        timewindow.Window
	Page           page.Request
	Scope          measurement.Scope
}

// List is one page and what its numbers stand on.
type List struct {
	Interviews  []Interview
	Next        *page.Position
	Measurement measurement.Statement
}

// Detail is one interview and what its numbers stand on.
type Detail struct {
	Interview   Interview
	Measurement measurement.Statement
}

func fromRow(r db.ListInterviewsRow) Interview {
	return Interview{
		ID: r.ID, ClientID: r.ClientID, CreatedAt: r.CreatedAt, CampaignID: r.CampaignID,
		ParticipantName: r.ParticipantName, InterviewType: r.InterviewType, Status: r.Status,
		DurationSeconds: r.DurationSeconds, NPSScore: r.NPSScore, CustomerSentiment: r.CustomerSentiment,
		ChurnRisk: r.ChurnRisk, BestQuote: r.BestQuote,
		ParticipantEmail: r.ParticipantEmail, Transcript: r.Transcript, CustomExtraction: r.CustomExtraction,
	}
}

func positionOf(i Interview) page.Position {
	return page.Position{Times: []time.Time{i.CreatedAt}, ID: i.ID}
}
