package demodata_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
)

// The same arguments give the same bytes in every release: benchmarks are
// compared, and guides quote the demo. A change of a text or of a draw changes
// these hashes on purpose or not at all.
func TestOutput_IsTheSameInEveryRelease(t *testing.T) {
	t.Parallel()
	for now, want := range map[time.Time]string{
		afternoon(): "de96fde97aacff75a95a236c46f5ba1074f54c9bf728a4070f3eb29234583285",
		time.Date(2028, 2, 29, 23, 59, 59, 999999999, time.UTC): "a1a122ceae484b813114281924c1770dfaf0c133620904657dddc70c790a3a23",
		time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC):            "2ac84c1a89d3f6ec681a6fc6522ced4d3d7363d2930e7e44947645119a2d2cdb",
	} {
		if got := hash(demo(t, now)); got != want {
			t.Errorf("the demo of %s has the hash %s, want %s", now, got, want)
		}
	}
	for seed, want := range map[uint64]string{
		1:  "e39e2580e8069e7dc5b25c1752984a7bfafb89ea2538a9ff29057ceedcafb15f",
		7:  "2747991d4aaee72cc011e5c1d66e2e0ea491770cd817ef64b6dd5d629b5e2cc7",
		42: "f7ff0ea7a0f8f70b58e99039442ce80079c23bb71b6a0a1755b27673b22bfffa",
	} {
		o := twoYears(
			demodata.ClientOptions{Slug: "acme", Mode: demodata.ModeCanonical, Interviews: 3000, Campaigns: 20, Synthesis: 300, EqualCreatedAt: 700},
			demodata.ClientOptions{Slug: "globex", Interviews: 900, Campaigns: 2, UsableShare: 0.3, TranscriptShare: 1},
			demodata.ClientOptions{Slug: "hooli", Interviews: 40, Synthesis: 10, UsableShare: 1, TranscriptShare: -1},
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
