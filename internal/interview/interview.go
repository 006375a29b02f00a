package interview

import (
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/timewindow"
)

// Interview is one usable interview as the database sent it. Its texts and its
// JSON are borrowed from the connection: they hold until the next one is read.
// Nil is null.
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
	RawExtraction    []byte // on detail only
}

// Take receives interviews one by one, in order.
type Take func(*Interview)

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

// List says how many interviews were handed out, where the walk goes on, nil
// when it ends here, and what the page's numbers stand on.
type List struct {
	Count       int
	Next        *page.Position
	Measurement measurement.Statement
}
