package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// measured is the measurement part of a canonical response's meta.
type measured struct {
	Mode     string           `json:"measurement_mode"`
	Total    *int             `json:"measurement_total_count"`
	AsOf     *string          `json:"measurement_as_of"`
	Version  *string          `json:"measurement_contract_version"`
	Counting *string          `json:"measurement_count_basis"`
	Omitted  []string         `json:"measurement_omitted_fields"`
	Basis    *json.RawMessage `json:"measurement_basis"`
}

type basis struct {
	Schema         string   `json:"schema"`
	Captured       bool     `json:"captured"`
	AsOf           string   `json:"as_of"`
	ScopeHash      string   `json:"scope_hash"`
	MembershipHash string   `json:"membership_hash"`
	IDs            []string `json:"source_interview_ids"`
	Count          int      `json:"source_count"`
}

func measuredOf(t *testing.T, a *apitest.Response) (measured, *basis) {
	t.Helper()
	var body struct{ Meta measured }
	a.WantStatus(t, 200).Decode(t, &body)
	if body.Meta.Basis == nil {
		return body.Meta, nil
	}
	var b basis
	require.NoError(t, json.Unmarshal(*body.Meta.Basis, &b))
	return body.Meta, &b
}

func hexSHA256(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestListInterviews_CanonicalMeasurement(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	rows := seedRows(t, seed, rand.New(rand.NewPCG(5, 6)), "globex", 30)
	seedRows(t, seed, rand.New(rand.NewPCG(5, 6)), "acme", 10)
	key := srv.KeyFor(t, "globex")
	client := seed.Clients["globex"].String()

	for query, c := range map[string]struct {
		keep    func(row) bool
		filters string
	}{
		"limit=3":                              {func(row) bool { return true }, `{}`},
		"status=analyzed&limit=1":              {func(r row) bool { return r.status == "analyzed" }, `{"status":"analyzed"}`},
		"date_from=2026-03-04":                 {func(r row) bool { return !r.at.Before(apitest.At("2026-03-04")) }, `{"date_from":"2026-03-04"}`},
		"status=a%22%5C%09%C3%A9%01%E2%80%A8z": {func(row) bool { return false }, `{"status":"a\"\\\té\u0001` + "\u2028" + `z"}`},
	} {
		m, b := measuredOf(t, srv.Get(t, interviews+"?"+query, key))
		want := idsOf(rows, c.keep)
		slices.Sort(want)
		if m.Mode != "canonical" || *m.Total != len(rows) || *m.Version != "canonical_measurement.v1" ||
			*m.Counting != "usable_interviews" || len(m.Omitted) != 0 {
			t.Errorf("%s: measured %+v (total %d, want %d)", query, m, *m.Total, len(rows))
		}
		if b == nil {
			t.Fatalf("%s: no basis", query)
		}
		if !slices.Equal(b.IDs, want) || b.Count != len(want) {
			t.Errorf("%s: basis of %d ids %v, want %v", query, b.Count, b.IDs, want)
		}
		if got := hexSHA256(strings.Join(want, "\n")); b.MembershipHash != got {
			t.Errorf("%s: membership_hash %s, want %s", query, b.MembershipHash, got)
		}
		if got := hexSHA256(`{"client_id":"` + client + `","filters":` + c.filters + `,"route":"/interviews"}`); b.ScopeHash != got {
			t.Errorf("%s: scope_hash %s, want %s", query, b.ScopeHash, got)
		}
		if b.AsOf != *m.AsOf || b.Captured || b.Schema != "measurement_query_basis.v1" {
			t.Errorf("%s: basis %+v beside as_of %s", query, b, *m.AsOf)
		}
	}

	cursor := srv.Get(t, interviews+"?limit=3", key).List(t).NextCursor(t)
	m, b := measuredOf(t, srv.Get(t, interviews+"?limit=3&starting_after="+cursor, key))
	if b != nil || !slices.Equal(m.Omitted, []string{"measurement_basis"}) || *m.Total != len(rows) {
		t.Errorf("a continuation page is measured %+v with basis %v", m, b)
	}

	id := rows[0].id
	_, b = measuredOf(t, srv.Get(t, interviews+"/"+strings.ToUpper(id), key))
	check.Slices(t, b.IDs, []string{id}, "a detail stands on")
	if got := hexSHA256(`{"client_id":"` + client + `","filters":{"id":"` + id + `"},"route":"/interviews/{id}"}`); b.ScopeHash != got {
		t.Errorf("a detail's scope_hash is %s, want %s", b.ScopeHash, got)
	}
}

func TestListInterviews_LegacyResponsesHaveOnlyTheMode(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "acme", nil)
	list := srv.Get(t, interviews, srv.KeyFor(t, "acme")).List(t)
	for field, value := range list.Meta {
		if strings.HasPrefix(field, "measurement_") && (field != "measurement_mode" || string(value) != `"legacy"`) {
			t.Errorf("meta.%s is %s", field, value)
		}
	}
}

func TestListInterviews_LargeScopesLeaveTheBasisOut(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t, func(c *config.Server) { c.BasisMaxIDs = 5 })
	for range 5 {
		seed.Interview(t, "globex", nil)
	}
	if _, b := measuredOf(t, srv.Get(t, interviews, srv.KeyFor(t, "globex"))); b == nil || b.Count != 5 {
		t.Errorf("at the cap the basis is %v, want 5 ids", b)
	}
	seed.Interview(t, "globex", nil)
	m, b := measuredOf(t, srv.Get(t, interviews, srv.KeyFor(t, "globex")))
	if b != nil || !slices.Equal(m.Omitted, []string{"measurement_basis"}) || *m.Total != 6 {
		t.Errorf("beyond the cap: %+v with basis %v", m, b)
	}
}
