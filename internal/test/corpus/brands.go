package corpus

import (
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/demodata"
)

// Measurement modes and the one contract version of a canonical client.
const (
	ModeLegacy      = "legacy"
	ModeCanonical   = "canonical"
	ContractVersion = "canonical_measurement.v1"
)

// brand is one client of the demo corpus.
type brand struct{ demodata.Brand }

// id derives a record's id from the brand and a name that is unique within it.
// It does not depend on the clock: importing the demo again, a day later,
// replaces its rows instead of adding to them.
func (b brand) id(name string) uuid.UUID {
	return uuid.NewSHA1(b.ID, []byte(name))
}

// contractVersion is empty for a legacy client.
func contractVersion(mode string) string {
	if mode == ModeCanonical {
		return ContractVersion
	}
	return ""
}
