package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/google/uuid"
)

// formerContractVersion is the contract of a basis that was saved before the
// present one came into force.
const formerContractVersion = "canonical_measurement.v0"

// membershipHash is the SHA-256 of the ids, ascending, one on each line.
func membershipHash(ascending []uuid.UUID) string {
	lines := make([]string, len(ascending))
	for i, id := range ascending {
		lines[i] = id.String()
	}
	return sha256Hex(strings.Join(lines, "\n"))
}

// scopeHash is the SHA-256 of a portal surface's scope in canonical JSON (RFC
// 8785). selector is the row's own `lane`, `campaign` or `day` with its value,
// or empty. Written out by hand: the keys are known to be in order, and slugs
// and dates need no escapes.
func scopeHash(b Brand, surfaceType, selector, value string) string {
	filters := `"surface":"portal","type":"` + surfaceType + `"`
	if selector != "" { // day, lane and campaign all sort before surface
		filters = `"` + selector + `":"` + value + `",` + filters
	}
	return sha256Hex(`{"client_id":"` + b.ID.String() + `","filters":{` + filters + `},"route":"/synthesis"}`)
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// basis is what was saved about the interviews behind a published document.
func (e edition) basis(name, surfaceType, selector, value string) snapshotLine {
	b, ids := e.book.brand, e.ids()
	return snapshotLine{
		Kind: "measurement_snapshot", SnapshotID: b.id("snapshot/" + name), ClientID: b.ID, AsOf: stamp(e.asOf),
		ContractVersion: ContractVersion, ScopeHash: scopeHash(b, surfaceType, selector, value),
		MembershipHash: membershipHash(ids), SourceInterviewIDs: ids, SourceCount: len(ids),
	}
}
