package corpus_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// The same arguments give the same bytes in every release: benchmarks are compared. A change
// of a text or of a draw changes these hashes on purpose or not at all.
func TestGenerate_IsTheSameInEveryRelease(t *testing.T) {
	t.Parallel()
	to := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for seed, want := range map[uint64]string{
		1: "e39e2580e8069e7dc5b25c1752984a7bfafb89ea2538a9ff29057ceedcafb15f",
		7: "2747991d4aaee72cc011e5c1d66e2e0ea491770cd817ef64b6dd5d629b5e2cc7",
	} {
		var text bytes.Buffer
		sum, err := corpus.Generate(&text, corpus.Options{Seed: seed, From: to.AddDate(-2, 0, 0), To: to, Clients: []corpus.ClientOptions{
			{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 3000, Campaigns: 20, Synthesis: 300, EqualCreatedAt: 700},
			{Slug: "globex", Interviews: 900, Campaigns: 2, UsableShare: 0.3, TranscriptShare: 1},
			{Slug: "hooli", Interviews: 40, Synthesis: 10, UsableShare: 1, TranscriptShare: -1},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text.Bytes())); got != want {
			t.Errorf("the corpus of seed %d has the hash %s, want %s", seed, got, want)
		}
		if int64(text.Len()) != sum.Bytes || bytes.Count(text.Bytes(), []byte{'\n'}) != sum.Lines {
			t.Errorf("the summary says %d lines, %d bytes; there are %d bytes", sum.Lines, sum.Bytes, text.Len())
		}
	}
}
