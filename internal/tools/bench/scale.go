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
	exact    time.Duration
	// shared is PostgreSQL's shared_buffers, wal its max_wal_size.
	shared, wal string
	// imported is how many interviews goal 12 imports.
	imported int
	// folded is how many bytes the largest text of goal 20 has.
	folded int

	large, tenth, second, tied, ten, small int
	// smallest and largest are how many interviews the small clients have.
	smallest, largest int
}

func scaleNamed(name string) (scale, error) {
	for _, s := range []scale{
		{
			name: "tiny", duration: 250 * time.Millisecond, exact: 2 * time.Second, shared: "256MB", wal: "8GB", imported: 2000, folded: 1_000_000,
			large: 30_000, tenth: 3000, second: 4000, tied: 4000, ten: 3000, small: 2, smallest: 1000, largest: 2000,
		},
		{
			name: "small", duration: time.Second, exact: 5 * time.Second, shared: "512MB", wal: "8GB", imported: 50_000, folded: 10_000_000,
			large: 60_000, tenth: 6000, second: 20_000, tied: 20_000, ten: 10_000, small: 45, smallest: 1000, largest: 2000,
		},
		{
			name: "full", duration: 2 * time.Second, exact: 2 * time.Minute, shared: "3GB", wal: "8GB", imported: 100_000, folded: 10_000_000,
			large: 1_000_000, tenth: 100_000, second: 100_000, tied: 100_000, ten: 10_000, small: 45, smallest: 2000, largest: 10_000,
		},
		{
			// The database is five times larger than its buffers.
			name: "huge", duration: 2 * time.Second, exact: 2 * time.Minute, shared: "7GB", wal: "2GB", imported: 100_000, folded: 10_000_000,
			large: 10_000_000, tenth: 1_000_000, second: 20_000, tied: 20_000, ten: 10_000, small: 2, smallest: 2000, largest: 10_000,
		},
	} {
		if s.name == name {
			return s, nil
		}
	}
	return scale{}, fmt.Errorf("there is no scale %q: choose tiny, small, full or huge", name)
}

// The clients that measures ask for by name.
const (
	clientLarge = "large"
	// clientTenth has a tenth of the interviews of the large one.
	clientTenth = "tenth"
	// clientSecond and clientTied differ in that all of the latter's interviews
	// have one created_at.
	clientSecond = "second"
	clientTied   = "tied"
	clientTen    = "ten"
	// clientLargestBasis has exactly 9,999 usable interviews: the largest basis there is.
	clientLargestBasis = "members"
	clientThree        = "three"

	maxBasis = 9_999
)

// span of created_at: at full scale 30 days of the large client hold 27 thousand
// usable interviews.
var (
	spanFrom = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	spanTo   = time.Date(2026, 2, 24, 0, 0, 0, 0, time.UTC)
)

func (s scale) corpus() corpus.Options {
	canonical := func(slug string, interviews, campaigns int) corpus.ClientOptions {
		return corpus.ClientOptions{
			Slug: slug, Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: campaigns, Synthesis: interviews / 50,
		}
	}
	tied, full := canonical(clientTied, s.tied, 20), canonical(clientLargestBasis, maxBasis, 20)
	tied.EqualCreatedAt = s.tied
	full.UsableShare = 1
	clients := []corpus.ClientOptions{
		canonical(clientLarge, s.large, 60), canonical(clientTenth, s.tenth, 60), canonical(clientSecond, s.second, 20), tied,
		canonical(clientTen, s.ten, 20), full, canonical(clientThree, 3000, 20),
	}
	for i := range s.small {
		c := canonical(fmt.Sprintf("small-%d", i+1), s.smallest+i*(s.largest-s.smallest)/max(s.small-1, 1), 20)
		if i%2 == 0 {
			c.Mode = corpus.ModeLegacy
		}
		clients = append(clients, c)
	}
	return corpus.Options{Seed: 1, From: spanFrom, To: spanTo, Clients: clients}
}
