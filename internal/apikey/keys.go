package apikey

import (
	"time"

	"github.com/google/uuid"
)

// Key is an issued key without its secret.
type Key struct {
	ID         uuid.UUID  `json:"id"`
	Prefix     string     `json:"prefix"`
	ClientID   uuid.UUID  `json:"client_id"`
	Name       string     `json:"name"`
	Scopes     []string   `json:"scopes"`
	CreatedAt  time.Time  `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	State      State      `json:"state"`
}

// State is what becomes of a key's requests.
type State string

// The states. Ending keys were rotated with a grace, which is not over.
const (
	Active  State = "active"
	Ending  State = "ending"
	Expired State = "expired"
	Revoked State = "revoked"
)

// StateOf is a key's state at a moment, which must be of the clock that ends keys: the
// database's.
func StateOf(expiresAt, revokedAt *time.Time, now time.Time) State {
	switch {
	case revokedAt != nil && !revokedAt.After(now):
		return Revoked
	case expiresAt != nil && !expiresAt.After(now):
		return Expired
	case revokedAt != nil:
		return Ending
	}
	return Active
}

// Listed is a key and what is left of its quota.
type Listed struct {
	Key
	// RequestsLastHour counts the requests in the key's window; Remaining is how many
	// more would be admitted now.
	RequestsLastHour int `json:"requests_last_hour"`
	Remaining        int `json:"remaining"`
	// FutureRequests counts log rows dated in the future, which a clock that was ahead
	// left behind; FutureUntil is the date of the last. The window does not advance until
	// then, unless they are deleted.
	FutureRequests int        `json:"future_requests"`
	FutureUntil    *time.Time `json:"future_until"`
}

// Issued is a new key with its text, which is stored nowhere.
type Issued struct {
	ID        uuid.UUID  `json:"id"`
	Prefix    string     `json:"prefix"`
	Key       string     `json:"key"`
	ClientID  uuid.UUID  `json:"client_id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	ExpiresAt *time.Time `json:"expires_at"`
}

// lastUse is the later of a key's stored last use and its newest log row, nil without any.
func lastUse(stored *time.Time, logged time.Time) *time.Time {
	if !logged.IsZero() && (stored == nil || logged.After(*stored)) {
		return &logged
	}
	return stored
}
