package corpus_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// The same arguments give the same bytes in every release: benchmarks are
// compared. A change of a text or of a draw changes these hashes on purpose or
// not at all.
func TestGenerate_IsTheSameInEveryRelease(t *testing.T) {
	t.Parallel()
	for seed, want := range map[uint64]string{
		1:  "e39e2580e8069e7dc5b25c1752984a7bfafb89ea2538a9ff29057ceedcafb15f",
		7:  "2747991d4aaee72cc011e5c1d66e2e0ea491770cd817ef64b6dd5d629b5e2cc7",
		42: "f7ff0ea7a0f8f70b58e99039442ce80079c23bb71b6a0a1755b27673b22bfffa",
	} {
		o := twoYears(
			corpus.ClientOptions{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 3000, Campaigns: 20, Synthesis: 300, EqualCreatedAt: 700},
			corpus.ClientOptions{Slug: "globex", Interviews: 900, Campaigns: 2, UsableShare: 0.3, TranscriptShare: 1},
			corpus.ClientOptions{Slug: "hooli", Interviews: 40, Synthesis: 10, UsableShare: 1, TranscriptShare: -1},
		)
		o.Seed = seed
		text, _ := generate(t, o)
		if got := hash(text); got != want {
			t.Errorf("the corpus of seed %d has the hash %s, want %s", seed, got, want)
		}
	}
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
