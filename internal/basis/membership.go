package basis

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// MembershipHash is the SHA-256, in hex, of ascending ids joined with line
// feeds; of the empty string when there are none.
func MembershipHash(ascending []uuid.UUID) string {
	text := make([]byte, 0, 37*len(ascending))
	for i, id := range ascending {
		if i > 0 {
			text = append(text, '\n')
		}
		text = AppendUUID(text, id)
	}
	return SHA256(text)
}

// PreviewID is the id of a basis: the same scope, membership and time give the
// same id. asOf is the time as AppendTime writes it.
func PreviewID(clientID uuid.UUID, scopeHash, membershipHash, asOf string) uuid.UUID {
	name := strings.Join([]string{scopeHash, membershipHash, asOf}, "\n")
	return uuid.NewSHA1(clientID, []byte(name))
}

// SortIDs sorts ids in ascending order, which MembershipHash needs.
func SortIDs(ids []uuid.UUID) {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
}

// SHA256 is the hash of a text, in hex.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
