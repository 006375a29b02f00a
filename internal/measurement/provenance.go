package measurement

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// ContractVersion is the one version of canonical measurement this server knows.
const ContractVersion = "canonical_measurement.v1"

// CountBasis says what measurement_total_count counts.
const CountBasis = "usable_interviews"

// Mode is how a client's numbers are measured.
type Mode string

// The modes of the contract.
const (
	Legacy    Mode = "legacy"
	Canonical Mode = "canonical"
)

// Provenance is what a response says about its numbers. Beyond Mode, everything
// is set for canonical clients only.
type Provenance struct {
	Mode Mode
	AsOf time.Time
	// Total counts the client's usable interviews, whatever the request's filters.
	Total int64
	// Basis names the interviews behind the response; nil where it is left out.
	Basis *Basis
}

// OmittedFields names the measurement fields that the response leaves out.
func (s Provenance) OmittedFields() []string {
	if s.Basis == nil {
		return []string{"measurement_basis"}
	}
	return []string{}
}

// Basis is a membership anyone can recompute.
type Basis struct {
	PreviewID      uuid.UUID
	ScopeHash      string
	MembershipHash string
	// SourceCount is how many ids there are.
	SourceCount int
	// SourceIDs is the JSON array of the ids, ascending: it is most of an answer,
	// and made once. Responses share it: it must not be changed.
	SourceIDs json.RawMessage
}
