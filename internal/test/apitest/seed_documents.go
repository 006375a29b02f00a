package apitest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// Lane adds a visible lane.
func (s *Seed) Lane(t testing.TB, client string, change Fields) uuid.UUID {
	t.Helper()
	id := uuid.New()
	s.insert(t, "lanes", merged(Fields{
		"client_id": s.Clients[client], "id": id, "slug": "lane-" + id.String()[:8], "display_name": "Lane", "visible": true,
	}, change))
	return idOf(id, change)
}

// SynthesisDocument adds a published home row of the collection.
func (s *Seed) SynthesisDocument(t testing.TB, client string, change Fields) string {
	t.Helper()
	id := uuid.New()
	s.insert(t, "synthesis_documents", merged(Fields{
		"client_id": s.Clients[client], "id": id, "synthesis_type": "home", "status": "published",
		"document": json.RawMessage(`{"headline": "It just works", "share": 0.50}`), "contract_version": "home_synthesis.v3",
		"cadence": "weekly", "last_refreshed": At("2026-03-01T06:00:00Z"),
		"created_at": At("2026-01-01"), "updated_at": At("2026-03-01T06:00:02Z"),
	}, change))
	return idOf(id, change).String()
}

// PortalDocument adds a published home body, which carries its own id so that
// walks can be read off the responses. A test may give a body of its own.
func (s *Seed) PortalDocument(t testing.TB, client string, change Fields) string {
	t.Helper()
	id := idOf(uuid.New(), change)
	s.insert(t, "portal_documents", merged(Fields{
		"client_id": s.Clients[client], "id": id, "type": "home", "status": "published",
		"body":         json.RawMessage(fmt.Sprintf(`{"id": %q, "schema": "portal_home.v2", "share": 0.50}`, id)),
		"published_at": At("2026-03-01T06:04:00Z"),
	}, change))
	return id.String()
}

// SavedBasis adds a measurement basis over the ids that any client's home body
// can be verified with, as it was saved in canonical measurement.
func (s *Seed) SavedBasis(t testing.TB, client string, ids []uuid.UUID, change Fields) uuid.UUID {
	t.Helper()
	id := uuid.New()
	texts := make([]string, len(ids))
	for i, one := range ids {
		texts[i] = one.String()
	}
	slices.Sort(texts)
	s.insert(t, "measurement_snapshots", merged(Fields{
		"client_id": s.Clients[client], "id": id, "as_of": At("2026-03-01T06:00:00.123456Z"),
		"measurement_contract_version": "canonical_measurement.v1",
		"scope_hash":                   s.SurfaceHash(client, `"surface":"portal","type":"home"`),
		"membership_hash":              sha256Hex(strings.Join(texts, "\n")),
		"source_interview_ids":         ids, "source_count": len(ids),
	}, change))
	return idOf(id, change)
}

// SurfaceHash is the scope hash of a portal surface, its filters written out as
// canonical JSON has them.
func (s *Seed) SurfaceHash(client, filters string) string {
	return sha256Hex(fmt.Sprintf(`{"client_id":%q,"filters":{%s},"route":"/synthesis"}`, s.Clients[client], filters))
}

func sha256Hex(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
