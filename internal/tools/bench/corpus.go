//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// scale is how large a corpus is, and how long it is worth measuring.
type scale struct {
	duration time.Duration
	shared   string // PostgreSQL's shared_buffers
	// Interviews of the largest client and the second. Small clients are so many more.
	large, second, small int
}

var scales = map[string]scale{
	"tiny":  {200 * time.Millisecond, "256MB", 6000, 2000, 3},
	"small": {time.Second, "512MB", 60_000, 20_000, 48},
	"full":  {2 * time.Second, "3GB", 1_000_000, 100_000, 48},
}

const clientLarge = "large"

var (
	spanFrom = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	spanTo   = time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
)

func (s scale) clients() []corpus.ClientOptions {
	canonical := func(slug string, interviews int) corpus.ClientOptions {
		return corpus.ClientOptions{Slug: slug, Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 60, Synthesis: max(interviews/50, 60)}
	}
	all := []corpus.ClientOptions{canonical(clientLarge, s.large), canonical("second", s.second)}
	for i := range s.small {
		c := canonical(fmt.Sprintf("small-%d", i+1), 1000+100*i)
		if i%2 == 0 {
			c.Mode = corpus.ModeLegacy
		}
		all = append(all, c)
	}
	return all
}
