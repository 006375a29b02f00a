package corpus

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// One type per kind of import line, in the words of the import format. A
// pointer that is nil is written as null.

type clientLine struct {
	Kind            string    `json:"kind"`
	ID              uuid.UUID `json:"id"`
	Slug            string    `json:"slug"`
	Name            string    `json:"name"`
	Mode            string    `json:"measurement_mode"`
	ContractVersion string    `json:"measurement_contract_version,omitempty"`
}

type laneLine struct {
	Kind        string    `json:"kind"`
	ID          uuid.UUID `json:"id"`
	ClientID    uuid.UUID `json:"client_id"`
	Slug        string    `json:"slug"`
	DisplayName string    `json:"display_name"`
	Visible     bool      `json:"visible"`
}

type keyQuestion struct {
	ID       string `json:"id"`
	Question string `json:"question"`
}

type campaignLine struct {
	Kind        string    `json:"kind"`
	ID          uuid.UUID `json:"id"`
	ClientID    uuid.UUID `json:"client_id"`
	Slug        string    `json:"slug"`
	DisplayName *string   `json:"display_name"`
	Brief       *string   `json:"campaign_brief"`
	Goal        *string   `json:"goal"`
	GoalContext *string   `json:"goal_context"`
	// KeyQuestions is []keyQuestion, or []string as older rows carry it, or nil.
	KeyQuestions  any     `json:"key_questions"`
	TargetSegment *string `json:"target_segment"`
	Playbook      *string `json:"playbook"`
	Cadence       *string `json:"cadence"`
	Active        *bool   `json:"active"`
	LaunchStatus  *string `json:"launch_status"`
	LaunchedAt    *stamp  `json:"launched_at"`
	LastRefreshed *stamp  `json:"last_refreshed"`
	CreatedAt     *stamp  `json:"created_at"`
	UpdatedAt     *stamp  `json:"updated_at"`
}

type turn struct {
	Role      string `json:"role"`
	Text      string `json:"text"`
	AtSeconds int    `json:"at_seconds"`
}

type synthesisLine struct {
	Kind            string     `json:"kind"`
	ID              uuid.UUID  `json:"id"`
	ClientID        uuid.UUID  `json:"client_id"`
	SynthesisType   string     `json:"synthesis_type"`
	LaneID          *uuid.UUID `json:"lane_id"`
	CampaignID      *uuid.UUID `json:"conversation_goal_id"`
	Document        any        `json:"document"`
	ContractVersion string     `json:"contract_version"`
	Status          string     `json:"status"`
	Cadence         *string    `json:"cadence"`
	FeedDate        *string    `json:"feed_date"`
	LastRefreshed   *stamp     `json:"last_refreshed"`
	CreatedAt       stamp      `json:"created_at"`
	UpdatedAt       stamp      `json:"updated_at"`
}

type portalLine struct {
	Kind        string     `json:"kind"`
	ID          uuid.UUID  `json:"id"`
	ClientID    uuid.UUID  `json:"client_id"`
	Type        string     `json:"type"`
	LaneID      *uuid.UUID `json:"lane_id"`
	CampaignID  *uuid.UUID `json:"conversation_goal_id"`
	FeedDate    *string    `json:"feed_date"`
	Body        any        `json:"body"`
	Status      string     `json:"status"`
	PublishedAt stamp      `json:"published_at"`
	SnapshotID  *uuid.UUID `json:"measurement_snapshot_id"`
}

type snapshotLine struct {
	Kind               string      `json:"kind"`
	SnapshotID         uuid.UUID   `json:"snapshot_id"`
	ClientID           uuid.UUID   `json:"client_id"`
	AsOf               stamp       `json:"as_of"`
	ContractVersion    string      `json:"measurement_contract_version"`
	ScopeHash          string      `json:"scope_hash"`
	MembershipHash     string      `json:"membership_hash"`
	SourceInterviewIDs []uuid.UUID `json:"source_interview_ids"`
	SourceCount        int         `json:"source_count"`
}

const (
	stampLayout = "2006-01-02T15:04:05.000000Z"
	dayLayout   = "2006-01-02"
)

// stamp is an instant as the file spells it: UTC, always six digits.
type stamp time.Time

// MarshalJSON writes the instant.
func (s stamp) MarshalJSON() ([]byte, error) {
	return time.Time(s).UTC().AppendFormat(nil, `"`+stampLayout+`"`), nil
}

// decimal writes thousandths with all three digits, 0.340 rather than 0.34: the
// corpus holds numbers whose spelling a careless reader would change.
func decimal(thousandths int) json.Number {
	digits := []byte{'0' + byte(thousandths/1000%10), '.', 0, 0, 0}
	digits[2] = '0' + byte(thousandths/100%10)
	digits[3] = '0' + byte(thousandths/10%10)
	digits[4] = '0' + byte(thousandths%10)
	return json.Number(digits)
}

// mailDomains are reserved for examples (RFC 2606): no real person can be written
// to by mistake.
var mailDomains = []string{"example.com", "example.com", "example.org", "example.net", "mail.example", "post.example.com"}
