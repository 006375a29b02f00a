package corpus

import (
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
	Kind          string        `json:"kind"`
	ID            uuid.UUID     `json:"id"`
	ClientID      uuid.UUID     `json:"client_id"`
	Slug          string        `json:"slug"`
	DisplayName   *string       `json:"display_name"`
	Brief         *string       `json:"campaign_brief"`
	Goal          *string       `json:"goal"`
	GoalContext   *string       `json:"goal_context"`
	KeyQuestions  []keyQuestion `json:"key_questions"`
	TargetSegment *string       `json:"target_segment"`
	Playbook      *string       `json:"playbook"`
	Cadence       *string       `json:"cadence"`
	Active        *bool         `json:"active"`
	LaunchStatus  *string       `json:"launch_status"`
	LaunchedAt    *stamp        `json:"launched_at"`
	LastRefreshed *stamp        `json:"last_refreshed"`
	CreatedAt     *stamp        `json:"created_at"`
	UpdatedAt     *stamp        `json:"updated_at"`
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
