package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

func openPool(t *testing.T, url string) *postgres.Pool {
	t.Helper()
	pool, err := postgres.OpenPool(context.Background(), postgres.PoolSettings{
		URL: url, Size: 4, Share: 1, StatementTimeout: 30 * time.Second, AcquireTimeout: 10 * time.Second, Application: "test",
	})
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	return pool
}

func openReader(t *testing.T, url string, limits search.Limits) *search.Reader {
	t.Helper()
	pool, triggers := openPool(t, url), &measurement.Triggers{}
	require.NoError(t, triggers.Check(t.Context(), pool))
	return search.New(measurement.NewSnapshotReader(pool, triggers, 10_000), limits)
}

// limitsOf lets a slow search wait and run as long as a test machine needs.
func limitsOf(newest int64) search.Limits {
	return search.Limits{First: newest, Newest: newest, Timeout: time.Minute}
}

func addClient(t *testing.T, conn *pgx.Conn, slug, mode string) auth.Caller {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, conn, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, $2, $3, 'canonical_measurement.v1')`, id, slug, mode)
	return auth.Caller{ClientID: id, Scopes: auth.All()}
}

func addCampaign(t *testing.T, conn *pgx.Conn, client auth.Caller, slug, status string) uuid.UUID {
	t.Helper()
	id := uuid.New()
	dbtest.Exec(t, conn, "INSERT INTO campaigns (client_id, id, slug, launch_status) VALUES ($1, $2, $3, $4)", client.ClientID, id, slug, status)
	return id
}

// said is an interview as the oracle has it.
type said struct {
	id         uuid.UUID
	at         time.Time
	slug       *string
	quote      *string
	extraction map[string]any // nil: none at all
}

func add(t *testing.T, conn *pgx.Conn, client auth.Caller, s said, campaign *uuid.UUID) {
	t.Helper()
	var extraction []byte
	if s.extraction != nil {
		var err error
		extraction, err = json.Marshal(s.extraction)
		require.NoError(t, err)
	}
	dbtest.Exec(t, conn, `INSERT INTO interviews
			(client_id, id, campaign_id, created_at, status, quality, reportable, client_safe, best_quote, custom_extraction)
		VALUES ($1, $2, $3, $4, 'completed', 'passed', true, true, $5, $6)`,
		client.ClientID, s.id, campaign, s.at, s.quote, extraction)
}

// texts are the five fields as the decisions say they are shown.
func (s said) texts() [5]*string {
	var out [5]*string
	for i, name := range []string{"best_quote", "primary_pain_points", "feature_requests", "product_feedback", "competitor_mentions"} {
		switch value := s.extraction[name].(type) {
		case string:
			out[i] = &value
		case []any:
			var parts []string
			for _, element := range value {
				if text, ok := element.(string); ok {
					parts = append(parts, text)
				}
			}
			if len(parts) > 0 {
				joined := strings.Join(parts, "; ")
				out[i] = &joined
			}
		}
	}
	if out[0] == nil {
		out[0] = s.quote
	}
	return out
}

// fold is folding done another way than the database does it.
func fold(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\uffff' {
			return unicode.ReplacementChar
		}
		return representative(r)
	}, text)
}

// expect is what a search should find, spelled for comparison.
func expect(all []said, q search.Query) []string {
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b said) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return strings.Compare(a.id.String(), b.id.String())
	})
	found := []string{}
	for _, s := range sorted {
		if q.Campaign != nil && (s.slug == nil || *s.slug != *q.Campaign) {
			continue
		}
		var matched []search.Field
		texts := s.texts()
		for i, text := range texts {
			if text != nil && strings.Contains(fold(*text), fold(q.Text)) {
				matched = append(matched, []search.Field{
					search.BestQuote, search.PrimaryPainPoints, search.FeatureRequests, search.ProductFeedback, search.CompetitorMentions,
				}[i])
			}
		}
		if len(matched) > 0 && len(found) < q.Limit {
			found = append(found, spell(s.id, s.slug, s.at, texts, matched))
		}
	}
	return found
}

func spellHits(hits []search.Hit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, spell(h.ID, h.CampaignSlug, h.CreatedAt,
			[5]*string{h.BestQuote, h.PrimaryPainPoints, h.FeatureRequests, h.ProductFeedback, h.CompetitorMentions}, h.Matched()))
	}
	return out
}

func spell(id uuid.UUID, slug *string, at time.Time, texts [5]*string, matched []search.Field) string {
	spelled := fmt.Sprintf("%s %s %v", id, at.Format(time.RFC3339Nano), matched)
	for _, text := range append([]*string{slug}, texts[:]...) {
		if text == nil {
			spelled += " null"
		} else {
			spelled += fmt.Sprintf(" %q", *text)
		}
	}
	return spelled
}

// words hold everything that a search could stumble over.
func words() []string {
	return []string{
		"Support", "support", "CRÈME", "brûlée", "e\u0301", "Ωmega", "ΣΊΣΥΦΟΣ", "ς", "Яблоко", "straße", "STRASSE", "İstanbul", "ISTANBUL",
		"100%", "%", "a_b", "axb", `back\slash`, `\`, "'quoted'", `"`, "zo", "q7", "x", "; ", ";", "\x01", "\uffff", "\t", "東京都", "注文", "😀", "ﬁ",
	}
}

func phrase(random *rand.Rand) string {
	all := words()
	n := random.IntN(4)
	parts := make([]string, n)
	for i := range parts {
		parts[i] = all[random.IntN(len(all))]
	}
	return strings.Join(parts, []string{" ", "", "  "}[random.IntN(3)])
}

// value is what an extraction may hold under a name.
func value(random *rand.Rand) any {
	switch random.IntN(8) {
	case 0:
		return nil
	case 1:
		return map[string]any{"support": "support"}
	case 2:
		return 100.5
	case 3:
		list := []any{}
		for range random.IntN(4) {
			list = append(list, []any{phrase(random), phrase(random), 7.0, nil, []any{"support"}, true}[random.IntN(6)])
		}
		return list
	default:
		return phrase(random)
	}
}

// corpus adds n usable interviews, many at one instant, and some that are not.
func corpus(t *testing.T, conn *pgx.Conn, client auth.Caller, random *rand.Rand, n int) []said {
	t.Helper()
	slugs := []string{"spring", "winter"}
	ids := []uuid.UUID{addCampaign(t, conn, client, "spring", "live"), addCampaign(t, conn, client, "winter", "live")}
	ended := addCampaign(t, conn, client, "ended", "ended")
	var all []said
	for range n {
		s := said{id: uuid.New(), at: time.Date(2026, 3, 1+random.IntN(5), 0, 0, 0, random.IntN(2)*1000, time.UTC)}
		if random.IntN(3) > 0 {
			quote := phrase(random)
			s.quote = &quote
		}
		if random.IntN(10) > 0 {
			s.extraction = map[string]any{"unasked_for": "support"}
			for _, name := range []string{"best_quote", "primary_pain_points", "feature_requests", "product_feedback", "competitor_mentions"} {
				if random.IntN(3) > 0 {
					s.extraction[name] = value(random)
				}
			}
		}
		switch c := random.IntN(4); c {
		case 0, 1:
			s.slug = &slugs[c]
			add(t, conn, client, s, &ids[c])
		case 2:
			add(t, conn, client, s, nil)
		default:
			add(t, conn, client, s, &ended)
			continue
		}
		all = append(all, s)
	}
	return all
}

// waitUntil asks the database until it says yes.
func waitUntil(t *testing.T, conn *pgx.Conn, question string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var yes bool
		require.NoError(t, conn.QueryRow(context.Background(), question).Scan(&yes))
		if yes {
			return
		}
	}
	t.Fatalf("never true: %s", question)
}
