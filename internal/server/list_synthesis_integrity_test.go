package server_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/test/apitest"
)

// integrityOf is what a client's only body of a query carries; empty for nothing.
func integrityOf(t *testing.T, srv *apitest.Server, client, query string) (integrity, measuredAt string) {
	t.Helper()
	var answer struct {
		Data []map[string]json.RawMessage
		Meta struct {
			AsOf string `json:"measurement_as_of"`
		}
	}
	srv.Get(t, portal+query, srv.KeyFor(t, client)).WantStatus(t, 200).Decode(t, &answer)
	if len(answer.Data) != 1 {
		t.Fatalf("%s has %d bodies, want 1", query, len(answer.Data))
	}
	return string(answer.Data[0]["measurement_integrity"]), answer.Meta.AsOf
}

const unverifiable = `{"status":"historical_unverifiable"}`

// members are three ids out of order, as in an import.
func members() []uuid.UUID {
	return []uuid.UUID{
		uuid.MustParse("9c4d2a7e-0f63-4b1d-8e25-6a7b8c9d0e1f"),
		uuid.MustParse("1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"),
		uuid.MustParse("3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
	}
}

func TestListSynthesis_IntegrityWithoutASavedBasis(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.PortalDocument(t, "acme", nil)
	seed.PortalDocument(t, "globex", nil)
	if got, _ := integrityOf(t, srv, "acme", ""); got != "" {
		t.Errorf("a legacy client's body carries %s, want nothing", got)
	}
	if got, _ := integrityOf(t, srv, "globex", ""); got != unverifiable {
		t.Errorf("a canonical client's body carries %s, want %s", got, unverifiable)
	}
}

func TestListSynthesis_IntegrityOfAVerifiedBasis(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	ids := members()
	saved := seed.SavedBasis(t, "globex", ids, nil)
	seed.PortalDocument(t, "globex", apitest.Fields{"measurement_snapshot_id": saved})
	got, measuredAt := integrityOf(t, srv, "globex", "")
	want := map[string]any{
		"status": "verified_saved_basis",
		"measurement_basis": map[string]any{
			"schema": "measurement_basis.v2", "snapshot_id": saved.String(), "as_of": "2026-03-01T06:00:00.123456Z",
			"measurement_contract_version": "canonical_measurement.v1",
			"scope_hash":                   seed.SurfaceHash("globex", `"surface":"portal","type":"home"`),
			"membership_hash":              hexSHA256(ids[1].String() + "\n" + ids[2].String() + "\n" + ids[0].String()),
			"source_interview_ids":         []any{ids[1].String(), ids[2].String(), ids[0].String()},
			"source_count":                 3.0,
		},
		"freshness": map[string]any{
			"status": "comparable", "reason": nil, "saved_as_of": "2026-03-01T06:00:00.123456Z", "live_as_of": measuredAt,
			"saved_contract_version": "canonical_measurement.v1", "live_contract_version": "canonical_measurement.v1",
		},
	}
	var stated map[string]any
	if err := json.Unmarshal([]byte(got), &stated); err != nil || !reflect.DeepEqual(stated, want) {
		t.Errorf("integrity\n got %s\nwant %v", got, want)
	}
}

// A basis that does not reproduce its hash and count is told apart from one that
// does, and nothing of it is shown.
func TestListSynthesis_IntegrityOfABasisThatDoesNotReproduce(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	ids := members()
	twice := append(members(), ids[0])
	sorted := []string{ids[1].String(), ids[2].String(), ids[0].String(), ids[0].String()}
	for name, c := range map[string]struct {
		ids    []uuid.UUID
		change apitest.Fields
	}{
		"another hash":                {ids, apitest.Fields{"membership_hash": hexSHA256("another")}},
		"hash of the unsorted":        {ids, apitest.Fields{"membership_hash": hexSHA256(ids[0].String() + "\n" + ids[1].String() + "\n" + ids[2].String())}},
		"another count":               {ids, apitest.Fields{"source_count": 4}},
		"an id withdrawn":             {ids, apitest.Fields{"source_interview_ids": ids[1:]}},
		"an id withdrawn and counted": {ids, apitest.Fields{"source_interview_ids": ids[1:], "source_count": 2}},
		"an id twice":                 {twice, nil}, // hash and count are both taken over all four
		"an id twice, hashed once":    {twice, apitest.Fields{"membership_hash": hexSHA256(sorted[0] + "\n" + sorted[1] + "\n" + sorted[2])}},
		"none, but hashed":            {[]uuid.UUID{}, apitest.Fields{"membership_hash": hexSHA256("\n")}},
	} {
		seed.Exec(t, "DELETE FROM portal_documents")
		for _, client := range []string{"acme", "globex"} {
			saved := seed.SavedBasis(t, client, c.ids, c.change)
			seed.PortalDocument(t, client, apitest.Fields{"measurement_snapshot_id": saved})
			if got, _ := integrityOf(t, srv, client, ""); got != unverifiable {
				t.Errorf("%s: %s's body carries %s, want %s", name, client, got, unverifiable)
			}
		}
	}
}

// freshness is what of a saved basis depends on now.
type freshness struct {
	Status, Reason, Live string
	IDs                  []string
}

func freshnessOf(t *testing.T, integrity string) freshness {
	t.Helper()
	var i struct {
		Status string
		Basis  struct {
			IDs []string `json:"source_interview_ids"`
		} `json:"measurement_basis"`
		Freshness struct {
			Status string
			Reason *string
			Live   string `json:"live_contract_version"`
		}
	}
	if err := json.Unmarshal([]byte(integrity), &i); err != nil || i.Status != "verified_saved_basis" {
		t.Fatalf("integrity is %s (%v), want a verified basis", integrity, err)
	}
	f := freshness{Status: i.Freshness.Status, Live: i.Freshness.Live, IDs: i.Basis.IDs}
	if i.Freshness.Reason != nil {
		f.Reason = *i.Freshness.Reason
	}
	return f
}

// A saved basis may be compared with live figures under the same contract and
// for the same surface only; a changed contract is told first.
func TestListSynthesis_IntegrityFreshness(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	const home = `"surface":"portal","type":"home"`
	for name, c := range map[string]struct {
		client         string
		change         apitest.Fields
		status, reason string
	}{
		"the same":         {"globex", nil, "comparable", ""},
		"another contract": {"globex", apitest.Fields{"measurement_contract_version": "canonical_measurement.v0"}, "incomparable", "contract_changed"},
		"another scope":    {"globex", apitest.Fields{"scope_hash": hexSHA256("another")}, "incomparable", "scope_changed"},
		"both": {"globex", apitest.Fields{
			"measurement_contract_version": "canonical_measurement.v0", "scope_hash": hexSHA256("another"),
		}, "incomparable", "contract_changed"},
		"another client's scope": {"globex", apitest.Fields{"scope_hash": seed.SurfaceHash("acme", home)}, "incomparable", "scope_changed"},
		// A client that went back to legacy keeps its bases.
		"legacy":                  {"acme", nil, "incomparable", "contract_changed"},
		"legacy, saved as legacy": {"acme", apitest.Fields{"measurement_contract_version": "legacy"}, "comparable", ""},
		"legacy, another scope": {"acme", apitest.Fields{
			"measurement_contract_version": "legacy", "scope_hash": hexSHA256("another"),
		}, "incomparable", "scope_changed"},
	} {
		saved := seed.SavedBasis(t, c.client, members(), c.change)
		seed.Exec(t, "DELETE FROM portal_documents")
		seed.PortalDocument(t, c.client, apitest.Fields{"measurement_snapshot_id": saved})
		integrity, _ := integrityOf(t, srv, c.client, "")
		live := map[string]string{"globex": "canonical_measurement.v1", "acme": "legacy"}[c.client]
		got := freshnessOf(t, integrity)
		if got.Status != c.status || got.Reason != c.reason || got.Live != live {
			t.Errorf("%s: freshness %+v, want %s %q under %s", name, got, c.status, c.reason, live)
		}
	}
}

// The surface is the row's own: its lane, campaign or day, as it is called now.
func TestListSynthesis_IntegrityKnowsEachSurface(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	lane := seed.Lane(t, "globex", apitest.Fields{"slug": "checkout"})
	campaign := seed.Campaign(t, "globex", apitest.Fields{"slug": "winter"})
	day := apitest.At("2026-03-04")
	for kind, c := range map[string]struct {
		fields  apitest.Fields
		filters string
	}{
		"home":             {apitest.Fields{"feed_date": day}, `"surface":"portal","type":"home"`},
		"lane":             {apitest.Fields{"lane_id": lane, "campaign_id": campaign, "feed_date": day}, `"lane":"checkout","surface":"portal","type":"lane"`},
		"campaign":         {apitest.Fields{"campaign_id": campaign, "lane_id": lane}, `"campaign":"winter","surface":"portal","type":"campaign"`},
		"daily_feed":       {apitest.Fields{"feed_date": day, "lane_id": lane}, `"day":"2026-03-04","surface":"portal","type":"daily_feed"`},
		"playbook":         {apitest.Fields{}, `"surface":"portal","type":"playbook"`},
		"creative_concept": {apitest.Fields{"lane_id": lane}, `"surface":"portal","type":"creative_concept"`},
	} {
		c.fields["type"] = kind
		c.fields["measurement_snapshot_id"] = seed.SavedBasis(t, "globex", members(), apitest.Fields{"scope_hash": seed.SurfaceHash("globex", c.filters)})
		seed.PortalDocument(t, "globex", c.fields)
		integrity, _ := integrityOf(t, srv, "globex", "&type="+kind)
		if got := freshnessOf(t, integrity); got.Status != "comparable" {
			t.Errorf("%s: freshness %+v, want comparable", kind, got)
		}
	}
	// Only the row's own surface matters, not the request.
	for _, query := range []string{"&type=lane&lane=checkout", "&type=campaign&campaign=winter", "&type=daily_feed&day=2026-03-04"} {
		integrity, _ := integrityOf(t, srv, "globex", query)
		if got := freshnessOf(t, integrity); got.Status != "comparable" {
			t.Errorf("%s: freshness %+v, want comparable", query, got)
		}
	}
	seed.Exec(t, "UPDATE lanes SET slug = 'basket'")
	integrity, _ := integrityOf(t, srv, "globex", "&type=lane")
	if got := freshnessOf(t, integrity); got.Reason != "scope_changed" {
		t.Errorf("after its lane was renamed: %+v, want scope_changed", got)
	}
}
