//go:build linux

package main

import (
	"fmt"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// scale is how large a corpus is, and how long it is worth measuring.
type scale struct {
	name     string
	duration time.Duration
	shared   string // PostgreSQL's shared_buffers
	imported int    // interviews of the import that is measured

	large, second, ten, small int // interviews of the clients; small is how many more there are
}

func scaleNamed(name string) (scale, error) {
	for _, s := range []scale{
		{name: "tiny", duration: 200 * time.Millisecond, shared: "256MB", imported: 2000, large: 6000, second: 2000, ten: 2000, small: 3},
		{name: "small", duration: time.Second, shared: "512MB", imported: 50_000, large: 60_000, second: 20_000, ten: 10_000, small: 45},
		{name: "full", duration: 2 * time.Second, shared: "3GB", imported: 100_000, large: 1_000_000, second: 100_000, ten: 10_000, small: 45},
	} {
		if s.name == name {
			return s, nil
		}
	}
	return scale{}, fmt.Errorf("there is no scale %q: choose tiny, small or full", name)
}

// The clients that are measured by name.
const (
	clientLarge = "large"
	// All interviews of clientTied have one created_at; those of clientSecond differ.
	clientSecond, clientTied = "second", "tied"
	clientTen                = "ten"
	// clientMembers has 9,999 usable interviews: the largest basis that a response names.
	clientMembers = "members"

	maxBasis = 9_999
)

var (
	spanFrom = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	spanTo   = time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
)

func (s scale) clients() []corpus.ClientOptions {
	canonical := func(slug string, interviews int) corpus.ClientOptions {
		return corpus.ClientOptions{Slug: slug, Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 60, Synthesis: max(interviews/50, 60)}
	}
	tied, members := canonical(clientTied, s.second), canonical(clientMembers, maxBasis)
	tied.EqualCreatedAt = s.second
	members.UsableShare = 1
	all := []corpus.ClientOptions{canonical(clientLarge, s.large), canonical(clientSecond, s.second), tied, canonical(clientTen, s.ten), members}
	for i := range s.small {
		c := canonical(fmt.Sprintf("small-%d", i+1), 1000+100*i)
		if i%2 == 0 {
			c.Mode = corpus.ModeLegacy
		}
		all = append(all, c)
	}
	return all
}
