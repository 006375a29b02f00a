package measurement_test

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const api = "/api/client/v1"

// keyRoutes are the key routes, one address each, with the interview for detail.
func keyRoutes(interview string) []string {
	return []string{
		api + "/interviews", api + "/interviews?status=completed", api + "/interviews/" + interview,
		api + "/campaigns", api + "/synthesis", api + "/synthesis?surface=portal",
		api + "/analytics/interviews", api + "/intelligence/search?q=delivery",
	}
}

// A canonical client is answered on every key route only while its measurement can
// be proven. Each case breaks it and undoes that, so that a case that breaks nothing
// fails.
func TestProof_BrokenMeasurementIsRefusedEverywhere(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	globex := seed.Clients["globex"]
	seed.Client(t, "initech", "canonical")
	interviews := map[string]string{}
	for _, client := range []string{"acme", "globex", "initech"} {
		interviews[client] = seed.Interview(t, client, nil)
		seed.Interview(t, client, apitest.Fields{"campaign_id": seed.Campaign(t, client, nil)})
	}
	const (
		own  = "this client"
		both = "every canonical client"
	)
	type breaking struct{ name, refused, breaks, undoes string }
	cases := []breaking{
		{"the state is gone", own,
			"CREATE TABLE aside AS SELECT * FROM measurement_states; DELETE FROM measurement_states WHERE client_id = '" + globex.String() + "'",
			"INSERT INTO measurement_states SELECT * FROM aside ON CONFLICT DO NOTHING; DROP TABLE aside"},
		{"marked broken", own,
			"UPDATE measurement_states SET broken_at = now(), broken_reason = 'test' WHERE client_id = '" + globex.String() + "'",
			"UPDATE measurement_states SET broken_at = NULL, broken_reason = NULL"},
		{"an unknown contract version", own,
			"UPDATE clients SET measurement_contract_version = 'canonical_measurement.v2' WHERE slug = 'globex'",
			"UPDATE clients SET measurement_contract_version = 'canonical_measurement.v1' WHERE slug = 'globex'"},
		{"a negative count", own,
			"UPDATE measurement_states SET members = members - 3 WHERE client_id = '" + globex.String() + "'",
			"UPDATE measurement_states SET members = members + 3 WHERE client_id = '" + globex.String() + "'"},
		{"the foreign key is off", both,
			"ALTER TABLE campaigns DISABLE TRIGGER ALL",
			"ALTER TABLE campaigns ENABLE TRIGGER ALL; ALTER TABLE campaigns ENABLE ALWAYS TRIGGER propagate_campaign_live; " +
				"ALTER TABLE campaigns ENABLE ALWAYS TRIGGER check_interviews_of_campaign"},
		{"a trigger was dropped", both,
			"ALTER TRIGGER create_measurement_state ON clients RENAME TO gone",
			"ALTER TRIGGER gone ON clients RENAME TO create_measurement_state"},
	}
	for _, trigger := range triggers(t, srv) {
		for _, off := range []string{"DISABLE TRIGGER", "ENABLE TRIGGER", "ENABLE REPLICA TRIGGER"} {
			cases = append(cases, breaking{
				off + " " + trigger[1], both,
				"ALTER TABLE " + trigger[0] + " " + off + " " + trigger[1],
				"ALTER TABLE " + trigger[0] + " ENABLE ALWAYS TRIGGER " + trigger[1],
			})
		}
	}

	srv.KeepMeasurement(t) // what is merged while a state is gone is lost with it
	for _, c := range cases {
		// The hourly limit is a key's: each case has its own.
		keys := map[string]string{}
		for _, client := range []string{"acme", "globex", "initech"} {
			keys[client] = srv.Issue(t, apikey.Request{Client: client, Name: c.name, Scopes: auth.All()}).Key
		}
		for _, path := range keyRoutes(interviews["globex"]) {
			if r := srv.Get(t, path, keys["globex"]); r.Status != 200 {
				t.Fatalf("before %s: %d %s", c.name, r.Status, r.Body)
			}
		}
		srv.Database.Exec(t, c.breaks)
		srv.KeepMeasurement(t)
		for i, path := range keyRoutes(interviews["globex"]) {
			srv.Get(t, path, keys["globex"]).WantError(t, 503, "measurement_unavailable", "measurement_unavailable")
			srv.Get(t, keyRoutes(interviews["acme"])[i], keys["acme"]).WantStatus(t, 200)
			other := srv.Get(t, keyRoutes(interviews["initech"])[i], keys["initech"])
			if want := map[string]int{own: 200, both: 503}[c.refused]; other.Status != want {
				t.Errorf("%s, %s: another canonical client gets %d, want %d", c.name, keyRoutes("ID")[i], other.Status, want)
			}
		}
		srv.Database.Exec(t, c.undoes)
		srv.KeepMeasurement(t)
	}
}

func triggers(t *testing.T, srv *apitest.Server) [][2]string {
	t.Helper()
	conn := dbtest.Connect(t, srv.Database.OwnerURL)
	rows, err := conn.Query(context.Background(), `SELECT relation::text, name
		FROM measurement_triggers
		WHERE name <> 'interviews_campaign_is_the_clients_own'`)
	require.NoError(t, err)
	defer rows.Close()
	var all [][2]string
	for rows.Next() {
		var g [2]string
		require.NoError(t, rows.Scan(&g[0], &g[1]))
		all = append(all, g)
	}
	if rows.Err() != nil || len(all) != 10 {
		t.Fatalf("triggers %v, error %v: want 10", all, rows.Err())
	}
	return all
}

// A count that is wrong by tampering shows on the unfiltered list at once,
// wherever it is the count against rows or ids.
func TestProof_TheUnfilteredListIsComparedWithTheTotal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		maxIDs, more int
		path         string
		status       int
	}{
		"ids, all on one page":              {10_000, 1, "/interviews", 503},
		"ids, of several pages":             {10_000, -1, "/interviews?limit=2", 503},
		"rows, beyond a basis":              {2, 1, "/interviews", 503},
		"rows that are more than the total": {2, -1, "/interviews?limit=4", 503},
		"a total below the cap":             {3, -2, "/interviews?limit=2", 503},
		"the right total":                   {10_000, 0, "/interviews?limit=2", 200},
		"the right total, beyond a basis":   {2, 0, "/interviews", 200},
		"the right total, a full page":      {2, 0, "/interviews?limit=4", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, seed := apitest.Start(t, func(s *config.Server) { s.BasisMaxIDs = c.maxIDs })
			for range 4 {
				seed.Interview(t, "globex", nil)
			}
			srv.Database.Exec(t, "UPDATE measurement_states SET members = members + $1", c.more)
			srv.Get(t, api+c.path, srv.KeyFor(t, "globex")).WantStatus(t, c.status)
		})
	}
}

// The proof is made before anything is looked for: an id that does not exist
// must not tell more than one that does.
func TestProof_ComesBeforeNotFound(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	seed.Interview(t, "globex", nil)
	srv.Database.Exec(t, "UPDATE measurement_states SET broken_at = now(), broken_reason = 'test'")
	srv.Get(t, api+"/interviews/"+uuid.NewString(), srv.KeyFor(t, "globex")).
		WantError(t, 503, "measurement_unavailable", "measurement_unavailable")
}
