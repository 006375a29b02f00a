package corpus

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Terms for tests of the search. No other word has them, nor `zo`, a digit or a backslash.
const (
	TermCommon = "onboarding"        // in 4 % of all interviews
	TermRare   = "zanzibar"          // in rareHits usable ones
	PhraseRare = "the support order" // in as many; its words are common
	rareHits   = 11
)

// Measurement modes.
const (
	ModeLegacy    = "legacy"
	ModeCanonical = "canonical"
)

// Options describe a corpus.
type Options struct {
	Seed    uint64
	Clients []ClientOptions
	// From and To bound created_at: from From up to, not including, To.
	From, To time.Time
}

// ClientOptions describe one client's share of a corpus.
type ClientOptions struct {
	Slug string
	// Mode is ModeLegacy (also when empty) or ModeCanonical.
	Mode       string
	Interviews int
	// Campaigns are live except every fourth.
	Campaigns int
	// Synthesis is the number of synthesis documents. With any, the client also has five
	// lanes, the last of them invisible.
	Synthesis int
	// UsableShare is the share of usable interviews: 0 stands for 0.71.
	UsableShare float64
	// EqualCreatedAt is how many interviews have one and the same created_at, as after a
	// bulk load that stamped them all.
	EqualCreatedAt int
}

// Summary is what was written.
type Summary struct{ Clients []ClientSummary }

// ClientSummary is what was written of one client.
type ClientSummary struct {
	ID     uuid.UUID
	Slug   string
	Usable int // interviews that pass the usable rule
}

// record is a line of the file.
type record map[string]any

// Generate writes a corpus in constant memory, the same for the same options. Interviews
// are in random order of created_at. The ids of a larger corpus begin with those of a
// smaller one.
func Generate(w io.Writer, o Options) (Summary, error) {
	var sum Summary
	buffered := bufio.NewWriterSize(w, 256<<10)
	out := json.NewEncoder(buffered)
	for _, c := range o.Clients {
		if !o.From.Before(o.To) || c.EqualCreatedAt > c.Interviews {
			return Summary{}, fmt.Errorf("corpus: %s: %d of %d interviews are to be equal, from %s to %s", c.Slug, c.EqualCreatedAt, c.Interviews, o.From, o.To)
		}
		g := newClient(o, c)
		write := func(line record) error {
			if line["kind"] != "client" {
				line["client_id"] = g.id("client", 0)
			}
			return out.Encode(line)
		}
		if err := g.write(write); err != nil {
			return Summary{}, fmt.Errorf("writing the corpus of %s: %w", c.Slug, err)
		}
		sum.Clients = append(sum.Clients, ClientSummary{g.id("client", 0), c.Slug, g.usable})
	}
	return sum, buffered.Flush()
}

// client is one client's records in the making.
type client struct {
	ClientOptions
	*rand.Rand
	from          time.Time
	span          time.Duration
	namespace     uuid.UUID
	live, notLive []uuid.UUID // campaigns
	usable        int
	rare          [2]int // usable interviews with TermRare and PhraseRare
}

func newClient(o Options, c ClientOptions) *client {
	namespace := uuid.NewSHA1(uuid.Nil, fmt.Appendf(nil, "%s/%d", c.Slug, o.Seed))
	return &client{
		ClientOptions: c, from: o.From.UTC(), span: o.To.Sub(o.From), namespace: namespace,
		Rand: rand.New(rand.NewChaCha8([32]byte([]byte(strings.ReplaceAll(namespace.String(), "-", ""))))),
	}
}

func (g *client) id(kind string, n int) uuid.UUID {
	return uuid.NewSHA1(g.namespace, fmt.Appendf(nil, "%s %d", kind, n))
}

// chance is true in so many of a thousand draws.
func (g *client) chance(perMille int) bool { return g.IntN(1000) < perMille }

func pick[T any](g *client, of ...T) T { return of[g.IntN(len(of))] }

func (g *client) instant() time.Time {
	return g.from.Add(time.Duration(g.Int64N(int64(g.span)))).Truncate(time.Microsecond)
}

func (g *client) write(write func(record) error) error {
	mode := cmp.Or(g.Mode, ModeLegacy)
	line := record{"kind": "client", "id": g.id("client", 0), "slug": g.Slug, "name": "Client " + g.Slug, "measurement_mode": mode}
	if mode == ModeCanonical {
		line["measurement_contract_version"] = "canonical_measurement.v1"
	}
	err := write(line)
	for i := 0; i < g.Campaigns && err == nil; i++ {
		err = write(g.campaign(i))
	}
	for i := 0; i < 5 && g.Synthesis > 0 && err == nil; i++ {
		err = write(record{
			"kind": "lane", "id": g.id("lane", i), "slug": fmt.Sprintf("lane-%d", i+1), "display_name": fmt.Sprintf("Lane %d", i+1), "visible": i < 4,
		})
	}
	for i := 0; i < g.Interviews && err == nil; i++ {
		err = write(g.interview(i))
	}
	for i := 0; i < g.Synthesis && err == nil; i++ {
		err = write(g.document(i))
	}
	return err
}

func (g *client) campaign(i int) record {
	line := record{
		"kind": "campaign", "id": g.id("campaign", i), "slug": fmt.Sprintf("campaign-%d", i+1), "display_name": g.text(3),
		"campaign_brief": g.text(25), "goal": g.text(10), "launch_status": "live", "active": pick(g, any(true), any(nil)),
		"key_questions": []record{{"id": "q1", "question": g.text(8)}, {"id": "q2", "question": g.text(8)}}, "updated_at": g.instant(),
	}
	if i%10 != 9 { // some were never stamped
		line["created_at"] = g.instant()
	}
	if i%4 < 3 {
		g.live = append(g.live, g.id("campaign", i))
		return line
	}
	g.notLive = append(g.notLive, g.id("campaign", i))
	if i/4%2 == 0 {
		line["launch_status"] = pick(g, "draft", "ended", "paused")
	} else {
		line["active"] = false
	}
	return line
}

// interview is usable, or breaks one rule of those that make it so.
func (g *client) interview(i int) record {
	at := g.instant()
	if (i+1)*g.EqualCreatedAt/g.Interviews > i*g.EqualCreatedAt/g.Interviews { // evenly over the file
		at = g.from.Add(g.span / 2).Truncate(time.Microsecond)
	}
	name := pick(g, names...)
	line := record{
		"kind": "interview", "id": g.id("interview", i), "created_at": at, "interview_type": pick(g, "onboarding", "post_purchase", "returns"),
		"participant_name": name, "participant_email": fmt.Sprintf("participant%d@example.com", i), "best_quote": g.text(6 + g.IntN(10)),
		"status": pick(g, "completed", "analyzed"), "duration_seconds": 60 + g.IntN(1200), "engagement": pick(g, any("engaged"), any(nil)),
		"quality": "passed", "reportable": true, "client_safe": true,
	}
	if score := g.IntN(12) - 1; score >= 0 { // -1 is unknown
		line["nps_score"] = score
		line["customer_sentiment"], line["churn_risk"] = pick(g, "positive", "neutral", "negative"), pick(g, "low", "medium", "high")
	}
	if len(g.live) > 0 && !g.chance(50) {
		line["conversation_goal_id"] = pick(g, g.live...)
	}
	usable := g.Float64() < cmp.Or(g.UsableShare, 0.71)
	if usable {
		g.usable++
	} else {
		g.breakRule(line)
	}
	extraction := record{
		"best_quote": line["best_quote"], "primary_pain_points": g.loose(12), "feature_requests": g.loose(11),
		"product_feedback": g.loose(18), "competitor_mentions": g.loose(5),
	}
	if planted := g.planted(i, usable); planted != "" {
		extraction[pick(g, "product_feedback", "feature_requests")] = g.text(9) + ", " + planted
	}
	line["custom_extraction"] = extraction
	if g.chance(100) {
		var turns []record
		for n := range 30 {
			turns = append(turns, record{"role": []string{"interviewer", "customer"}[n%2], "text": g.text(10 + g.IntN(25)), "at_seconds": 10 * n})
		}
		line["transcript"], line["raw_extraction"] = turns, record{"schema": "interview_extraction.v4", "turns": len(turns)}
	}
	return line
}

func (g *client) breakRule(line record) {
	switch broken := g.IntN(8); {
	case broken == 0:
		line["is_test"] = true
	case broken == 1:
		line["duration_seconds"] = g.IntN(60)
	case broken == 2:
		line["engagement"] = "disengaged"
	case broken == 3:
		line["quality"] = pick(g, "pending", "failed")
	case broken == 4:
		line["reportable"] = false
	case broken == 5:
		line["client_safe"] = false
	case broken == 6 && len(g.notLive) > 0:
		line["conversation_goal_id"] = pick(g, g.notLive...)
	default:
		line["status"] = pick(g, "in_progress", "scheduled", "abandoned")
	}
}

// planted is what the extraction must mention: rare terms are spread over the usable
// interviews of the whole file.
func (g *client) planted(i int, usable bool) string {
	for n, term := range []string{TermRare, PhraseRare} {
		if usable && g.rare[n] <= rareHits*i/g.Interviews {
			g.rare[n]++
			return term
		}
	}
	if g.chance(40) {
		return TermCommon
	}
	return ""
}

// loose is null, a text of about so many words, or a list of such.
func (g *client) loose(words int) any {
	switch draw := g.IntN(20); {
	case draw < 4:
		return nil
	case draw < 14:
		return g.text(words/2 + 1 + g.IntN(words))
	}
	return []string{g.text(words / 2), g.text(words / 2)}
}

func (g *client) document(i int) record {
	updated := g.instant()
	line := record{
		"kind": "synthesis_document", "id": g.id("document", i), "contract_version": "synthesis_document.v2", "status": "published",
		"created_at": g.from, "updated_at": updated, "last_refreshed": updated.Truncate(time.Minute), // a nightly job refreshes many at once
	}
	switch draw := g.IntN(100); {
	case draw < 60:
		line["synthesis_type"], line["feed_date"] = "daily_feed", updated.Format(time.DateOnly)
	case draw < 75:
		line["synthesis_type"], line["lane_id"] = "lane", g.id("lane", g.IntN(5))
	case draw < 90 && len(g.live) > 0:
		line["synthesis_type"], line["conversation_goal_id"] = "campaign", pick(g, slices.Concat(g.live, g.notLive)...)
	default:
		line["synthesis_type"] = pick(g, "home", "playbook", "creative_concept")
	}
	if g.chance(50) {
		line["status"] = pick(g, "archived", "draft")
	}
	var themes []record // 4 KB on average, some much longer
	for range 1 + g.IntN(1+g.IntN(40)) {
		themes = append(themes, record{"label": g.text(2), "evidence_count": g.IntN(400), "quotes": []string{g.text(14), g.text(14)}, "action": g.text(12)})
	}
	line["document"] = record{"headline": g.text(8), "summary": g.text(40), "themes": themes}
	return line
}
