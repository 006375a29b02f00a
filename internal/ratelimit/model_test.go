package ratelimit_test

import (
	"time"

	"github.com/google/uuid"
)

// model is one key as one would write it down: the times of all counted requests.
type model struct {
	prefix    string
	client    *uuid.UUID
	revokedAt time.Time
	expiresAt time.Time

	max     int
	window  time.Duration
	counted []time.Time
	last    time.Time // of these
}

type judgement struct {
	verdict   string
	remaining int
	reset     time.Time
	told      bool // whether the caller is told of the window
}

// admit says what must come of a request at a moment.
func (m *model) admit(at time.Time, rightSecret bool) judgement {
	var inside []time.Time
	for _, c := range m.counted {
		if c.After(at.Add(-m.window)) {
			inside = append(inside, c)
		}
	}
	j := judgement{verdict: m.verdict(at, rightSecret, len(inside)), remaining: max(m.max-len(inside), 0), reset: at.Add(m.window)}
	j.told = j.verdict == "admitted" || j.verdict == "limited"
	if j.verdict == "limited" {
		j.reset = inside[len(inside)-m.max].Add(m.window)
		return j
	}
	if len(inside) > 0 {
		j.reset = inside[0].Add(m.window)
	}
	m.counted, m.last = append(m.counted, at), at
	return j
}

func (m *model) verdict(at time.Time, rightSecret bool, inside int) string {
	switch {
	case m.client == nil || !rightSecret:
		return "invalid"
	case !m.revokedAt.IsZero() && !m.revokedAt.After(at):
		return "revoked"
	case !m.expiresAt.IsZero() && !m.expiresAt.After(at):
		return "expired"
	case inside >= m.max:
		return "limited"
	}
	return "admitted"
}
