//go:build partners

package validators_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

func start(t *testing.T) (*apitest.Server, string) {
	t.Helper()
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, "globex", apitest.Fields{"slug": "winter-launch"})
	for range 3 {
		seed.Interview(t, "globex", apitest.Fields{"campaign_id": campaign})
		seed.Interview(t, "globex", apitest.Fields{"nps_score": nil, "best_quote": nil})
		seed.SynthesisDocument(t, "globex", nil)
		seed.PortalDocument(t, "globex", nil)
	}
	return srv, srv.KeyFor(t, "globex", auth.All()...)
}

// Whoever has an implementation of RFC 8785 computes the scope hashes that answers carry.
func TestScopeHashes_AreThoseOfOtherLibraries(t *testing.T) {
	srv, key := start(t)
	var hashes []string
	var scopes []map[string]any
	for _, c := range []struct {
		route   string
		filters map[string]string
	}{
		{"/interviews", map[string]string{}},
		{"/interviews", map[string]string{"status": "é\u2028\"\\/<&>\x01\x7f 😀", "date_from": "2026-01-01T00:00:00+02:00", "campaign_id": "\ufb33"}},
		{"/analytics/interviews", map[string]string{"campaign": "winter-launch", "date_to": "2026-12-31"}},
		{"/intelligence/search", map[string]string{"q": "Straße\t", "limit": "7"}},
	} {
		query := url.Values{}
		for name, value := range c.filters {
			query.Set(name, value)
		}
		var answer struct {
			Meta struct {
				ClientID string `json:"client_id"`
				Basis    struct {
					ScopeHash string `json:"scope_hash"`
				} `json:"measurement_basis"`
			}
		}
		srv.Get(t, partnerserver.Base+c.route+"?"+query.Encode(), key).WantStatus(t, http.StatusOK).Decode(t, &answer)
		hashes = append(hashes, answer.Meta.Basis.ScopeHash)
		scopes = append(scopes, map[string]any{"client_id": answer.Meta.ClientID, "filters": c.filters, "route": c.route})
	}
	text, err := json.Marshal(scopes)
	require.NoError(t, err)
	python := exec.CommandContext(t.Context(), filepath.Join(partnerserver.Python(t, "requirements.txt"), "python"), "scopes.py")
	python.Stdin = bytes.NewReader(text)
	out, err := python.Output()
	var made [][]string
	if err != nil || json.Unmarshal(out, &made) != nil || len(made) != len(hashes) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, hash := range hashes {
		if hash == "" || made[i][0] != hash || made[i][1] != hash {
			t.Errorf("%v: the service says %s, rfc8785 and jcs say %v", scopes[i], hash, made[i])
		}
	}
}
