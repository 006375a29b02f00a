package corpus_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

func twoYears(clients ...corpus.ClientOptions) corpus.Options {
	to := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	return corpus.Options{Seed: 7, From: to.AddDate(-2, 0, 0), To: to, Clients: clients}
}

func generate(t *testing.T, o corpus.Options) ([]byte, corpus.Summary) {
	t.Helper()
	var b bytes.Buffer
	sum, err := corpus.Generate(&b, o)
	if err != nil {
		t.Fatal(err)
	}
	if int64(b.Len()) != sum.Bytes || bytes.Count(b.Bytes(), []byte{'\n'}) != sum.Lines {
		t.Errorf("the summary says %d lines, %d bytes; there are %d bytes", sum.Lines, sum.Bytes, b.Len())
	}
	return b.Bytes(), sum
}

func TestGenerate_SummaryCountsUsableInterviews(t *testing.T) {
	t.Parallel()
	o := twoYears(
		corpus.ClientOptions{Slug: "acme", Mode: corpus.ModeCanonical, Interviews: 6000, Campaigns: 20, Synthesis: 300, EqualCreatedAt: 700},
		corpus.ClientOptions{Slug: "globex", Interviews: 900, Campaigns: 2, UsableShare: 0.3, TranscriptShare: 1},
		corpus.ClientOptions{Slug: "hooli", Interviews: 40, Synthesis: 10, UsableShare: 1, TranscriptShare: -1},
		corpus.ClientOptions{Slug: "initech", Campaigns: 5, UsableShare: -1, Interviews: 30},
		corpus.ClientOptions{Slug: "empty"},
	)
	text, sum := generate(t, o)
	records := parse(t, text)
	campaigns := campaignsByID(records)
	got := map[string]*corpus.ClientSummary{}
	for _, c := range ofKind(records, "client") {
		got[c.text("id")] = &corpus.ClientSummary{Slug: c.text("slug"), Mode: c.text("measurement_mode")}
	}
	invisible, rules, shared := map[string]bool{}, map[string]bool{}, 0
	for _, r := range records {
		c := got[r.text("client_id")]
		switch r.text("kind") {
		case "campaign":
			c.Campaigns++
			if len(brokenRules(record{"status": "completed", "quality": "passed", "reportable": true, "client_safe": true}, r)) == 0 {
				c.LiveCampaigns++
			}
		case "lane":
			invisible[r.text("id")] = !r.is("visible")
		case "interview":
			c.Interviews++
			if r["transcript"] != nil {
				c.Transcripts++
			}
			broken := brokenRules(r, campaignOf(campaigns, r))
			if len(broken) == 0 {
				c.Usable++
				extraction, _ := json.Marshal(r["custom_extraction"])
				c.Rare += strings.Count(strings.ToLower(string(extraction)), corpus.TermRare)
				c.RarePhrase += strings.Count(string(extraction), corpus.PhraseRare)
			}
			for _, rule := range broken {
				rules[rule] = true
			}
			if r.time(t, "created_at").Equal(sum.Clients[0].SharedCreatedAt) {
				shared++
			}
		case "synthesis_document":
			c.Synthesis++
			kind := r.text("synthesis_type")
			if r.text("status") == "published" && kind != "playbook" && kind != "creative_concept" && !invisible[r.text("lane_id")] {
				c.VisibleSynthesis++
			}
		}
	}
	for _, want := range sum.Clients {
		c := *got[want.ID.String()]
		c.ID, c.SharedCreatedAt = want.ID, want.SharedCreatedAt
		if c != want {
			t.Errorf("the file holds\n%+v, the summary says\n%+v", c, want)
		}
	}
	if shared != 700 {
		t.Errorf("%d interviews share an instant, want 700", shared)
	}
	if big := sum.Clients[0]; big.Rare != corpus.RareHits || big.RarePhrase != corpus.RareHits {
		t.Errorf("the rare terms are in %d and %d interviews, want %d", big.Rare, big.RarePhrase, corpus.RareHits)
	}
	if u := sum.Clients[0].Usable; u < 4100 || u > 4420 {
		t.Errorf("%d of 6000 are usable, want about 71 %%", u)
	}
	if h, i := sum.Clients[2], sum.Clients[3]; h.Usable != 40 || h.Transcripts != 0 || i.Usable != 0 {
		t.Errorf("shares of one and none gave %+v and %+v", h, i)
	}
	if len(rules) < 14 {
		t.Errorf("only these rules are broken: %v", rules)
	}
}

func TestGenerate_IsDeterministic(t *testing.T) {
	t.Parallel()
	c := corpus.ClientOptions{Slug: "acme", Interviews: 500, Campaigns: 5, Synthesis: 20}
	first, _ := generate(t, twoYears(c))
	second, _ := generate(t, twoYears(c))
	if !bytes.Equal(first, second) {
		t.Error("the same options gave two corpora")
	}
	o := twoYears(c)
	o.Seed++
	if other, _ := generate(t, o); bytes.Equal(first, other) {
		t.Error("another seed gave the same corpus")
	}
	// A client's lines do not depend on its neighbours.
	both, _ := generate(t, twoYears(corpus.ClientOptions{Slug: "other", Interviews: 3}, c))
	if !bytes.HasSuffix(both, first) {
		t.Error("a client before it changed a client's lines")
	}
}

func TestGenerate_TermsAreAsFrequentAsPromised(t *testing.T) {
	t.Parallel()
	text, _ := generate(t, twoYears(corpus.ClientOptions{Slug: "acme", Interviews: 20000, Campaigns: 8}))
	hits, bytesOf, transcripts, transcriptBytes := map[string]int{}, 0, 0, 0
	for line := range bytes.Lines(text) {
		var r struct {
			Extraction json.RawMessage `json:"custom_extraction"`
			Transcript json.RawMessage `json:"transcript"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		bytesOf += len(r.Extraction)
		if r.Transcript != nil {
			transcripts++
			transcriptBytes += len(r.Transcript)
		}
		folded := strings.ToLower(string(r.Extraction))
		for _, term := range []string{
			corpus.TermVeryCommon, corpus.TermCommon, corpus.TermUnderscore, "cottonxblend", corpus.TermPercent, "0 cotton",
			corpus.TermAccents, corpus.TermRare, corpus.PhraseRare, "support order", "ing the", "zo", "qq", "7", `\`,
			"éclair", "ωραία", "яблоко", "straße",
		} {
			if strings.Contains(folded, term) {
				hits[term]++
			}
		}
	}
	for term, want := range map[string][2]int{
		corpus.TermVeryCommon: {3000, 12000}, corpus.TermCommon: {720, 880}, corpus.TermUnderscore: {340, 460}, "cottonxblend": {70, 130},
		corpus.TermPercent: {240, 360}, "0 cotton": {70, 130}, corpus.TermAccents: {520, 680}, "ing the": {1000, 8000},
		corpus.TermRare: {11, 11}, corpus.PhraseRare: {11, 11}, "support order": {11, 11},
		"zo": {0, 0}, "qq": {0, 0}, "7": {0, 0}, `\`: {0, 0}, "éclair": {20, 2000}, "ωραία": {5, 2000}, "straße": {5, 2000},
	} {
		if got := hits[term]; got < want[0] || got > want[1] {
			t.Errorf("%q is in %d of 20000 interviews, want %d to %d", term, got, want[0], want[1])
		}
	}
	if mean := bytesOf / 20000; mean < 430 || mean > 462 {
		t.Errorf("an extraction has %d bytes on average, want about 446", mean)
	}
	if mean := transcriptBytes / transcripts; mean < 5500 || mean > 5900 {
		t.Errorf("a transcript has %d bytes on average, want about 5700", mean)
	}
}

// Rows that lie in the file as they lie in time would flatter every benchmark.
func TestGenerate_CreatedAtIsRandomWithTies(t *testing.T) {
	t.Parallel()
	o := twoYears(corpus.ClientOptions{Slug: "acme", Interviews: 5000})
	text, _ := generate(t, o)
	var previous time.Time
	later, seen, ties, fine := 0, map[time.Time]bool{}, 0, 0
	for _, r := range ofKind(parse(t, text), "interview") {
		at := r.time(t, "created_at")
		if at.Before(o.From) || !at.Before(o.To) {
			t.Errorf("%s lies outside the span", at)
		}
		if at.After(previous) {
			later++
		}
		if seen[at] {
			ties++
		}
		if at.Nanosecond()%1_000_000 != 0 {
			fine++
		}
		seen[at], previous = true, at
	}
	if later < 2300 || later > 2700 || ties < 20 || ties > 100 || fine < 4900 {
		t.Errorf("%d of 5000 come after the one before, %d are ties, %d have microseconds", later, ties, fine)
	}
}

func TestGenerate_RefusesOptionsItCannotKeep(t *testing.T) {
	t.Parallel()
	backwards := twoYears()
	backwards.From, backwards.To = backwards.To, backwards.From
	for name, o := range map[string]corpus.Options{
		"no span":      {},
		"backwards":    backwards,
		"no slug":      twoYears(corpus.ClientOptions{}),
		"same slug":    twoYears(corpus.ClientOptions{Slug: "a"}, corpus.ClientOptions{Slug: "a"}),
		"unknown mode": twoYears(corpus.ClientOptions{Slug: "a", Mode: "modern"}),
		"negative":     twoYears(corpus.ClientOptions{Slug: "a", Interviews: -1}),
		"many equal":   twoYears(corpus.ClientOptions{Slug: "a", Interviews: 1, EqualCreatedAt: 2}),
	} {
		if _, err := corpus.Generate(io.Discard, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReported(t *testing.T) {
	t.Parallel()
	for _, interviews := range []int{1, 2000} {
		_, err := corpus.Generate(full{}, twoYears(corpus.ClientOptions{Slug: "a", Interviews: interviews}))
		if !errors.Is(err, errFull) {
			t.Errorf("Generate of %d: %v, want %v", interviews, err, errFull)
		}
	}
	if err := demodata.Demo(full{}, afternoon()); !errors.Is(err, errFull) {
		t.Errorf("Demo: %v, want %v", err, errFull)
	}
}

func BenchmarkGenerate(b *testing.B) {
	o := twoYears(corpus.ClientOptions{Slug: "acme", Interviews: 20000, Campaigns: 40, Synthesis: 200})
	b.ReportAllocs()
	for b.Loop() {
		sum, err := corpus.Generate(io.Discard, o)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(sum.Bytes)
	}
}

func BenchmarkDemo(b *testing.B) {
	for b.Loop() {
		if err := demodata.Demo(io.Discard, afternoon()); err != nil {
			b.Fatal(err)
		}
	}
}
