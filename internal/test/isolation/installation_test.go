package isolation

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// client is one of an installation. Clients have names, slugs and times in common,
// one interview's id even, and some of each that are their own alone.
type client struct {
	name, mode, status string
	// day is one on which this client alone has records.
	day string
}

var (
	acme   = client{"acme", "legacy", "completed", "2026-01-05"}
	globex = client{"globex", "canonical", "analyzed", "2026-02-07"}
)

// id is the same in every installation.
func (c client) id(of string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(c.name+" "+of))
}

func (c client) word() string { return c.name + "word" }

// shared is the id of an interview of each client.
var shared = uuid.MustParse("5a5a5a5a-5a5a-4a5a-8a5a-5a5a5a5a5a5a")

// installation is a server on a database that holds some clients.
type installation struct {
	*apitest.Server
	counter *queryCounter
	keys    map[string]*keyPool
}

// keyPool holds a client's keys: each serves 600 requests an hour.
type keyPool struct {
	issue func() string
	key   string
	used  int
}

func (p *keyPool) next() string {
	if p.used%500 == 0 {
		p.key = p.issue()
	}
	p.used++
	return p.key
}

func newInstallation(t *testing.T, clients ...client) *installation {
	t.Helper()
	srv, seed := apitest.Start(t)
	seed.Exec(t, "DELETE FROM clients")
	for _, c := range clients {
		c.fill(t, seed)
	}
	m, metered := startQueryCounter(t, srv.Database.ServerURL)
	srv.Database.ServerURL = metered
	srv.URL = srv.StartAnother(t, func(c *config.Server) { c.CursorSecret = strings.Repeat("one secret for every installation ", 2) })
	w := &installation{Server: srv, counter: m, keys: map[string]*keyPool{}}
	for _, c := range clients {
		w.keys[c.name] = &keyPool{issue: func() string {
			return srv.Issue(t, apikey.Request{Client: c.name, Name: "isolation", Scopes: auth.All()}).Key
		}}
	}
	return w
}

func (c client) fill(t *testing.T, seed *apitest.Seed) {
	t.Helper()
	client := c.id("client")
	seed.Exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, 'Same', $3, 'canonical_measurement.v1')`, client, c.name, c.mode)
	seed.Clients[c.name] = client
	ownDay, err := time.Parse(time.DateOnly, c.day)
	require.NoError(t, err)
	ownDay = ownDay.Add(9 * time.Hour)
	common := apitest.At("2026-03-01T09:00:00Z")
	json := func(text string) json.RawMessage { return json.RawMessage(text) }

	campaign := func(of, slug, status string, at time.Time) {
		seed.Campaign(t, c.name, apitest.Fields{
			"id": c.id(of), "slug": slug, "display_name": "Same", "goal": c.word(), "launch_status": status,
			"created_at": at, "updated_at": at,
		})
	}
	campaign("campaign", "same", "live", common)
	campaign("own campaign", c.name+"-campaign", "live", ownDay)
	campaign("ended campaign", c.name+"-ended", c.name+"-status", common)
	lane := func(of, slug string, visible bool) {
		seed.Lane(t, c.name, apitest.Fields{"id": c.id(of), "slug": slug, "display_name": "Same", "visible": visible})
	}
	lane("lane", "same", true)
	lane("own lane", c.name+"-lane", true)
	lane("hidden lane", c.name+"-hidden", false)

	interview := func(id uuid.UUID, of string, at time.Time, change apitest.Fields) {
		fields := apitest.Fields{
			"id": id, "campaign_id": c.id(of), "created_at": at, "status": c.status, "best_quote": "Same and " + c.word(),
			"custom_extraction": json(fmt.Sprintf(`{"primary_pain_points": %q}`, c.word())),
		}
		for name, value := range change {
			fields[name] = value
		}
		seed.Interview(t, c.name, fields)
	}
	for n := range 3 {
		interview(c.id(fmt.Sprint("interview ", n)), "campaign", common, nil)
	}
	interview(shared, "campaign", common, nil)
	interview(c.id("own interview"), "own campaign", ownDay, nil)
	interview(c.id("unusable interview"), "campaign", common, apitest.Fields{"client_safe": false})
	interview(c.id("ended interview"), "ended campaign", common, nil)

	basis := seed.SavedBasis(t, c.name, []uuid.UUID{shared}, apitest.Fields{"id": c.id("basis")})
	for _, of := range []string{"home", "daily_feed", "lane", "campaign", "playbook", "creative_concept"} {
		for _, own := range []bool{false, true} {
			kind, day := "", common
			if own {
				kind, day = "own ", ownDay
			}
			body := apitest.Fields{
				"id": c.id(kind + of + " body"), "type": of, "published_at": day,
				"body": json(fmt.Sprintf(`{"schema": "same.v1", "headline": %q}`, c.word())), "measurement_snapshot_id": basis,
			}
			row := apitest.Fields{
				"id": c.id(kind + of + " row"), "synthesis_type": of, "document": json(fmt.Sprintf(`{"headline": %q}`, c.word())),
				"last_refreshed": day, "updated_at": day, "created_at": day,
			}
			for _, fields := range []apitest.Fields{body, row} {
				switch of {
				case "daily_feed":
					fields["feed_date"] = day
				case "lane":
					fields["lane_id"] = c.id(kind + "lane")
				case "campaign":
					fields["campaign_id"] = c.id(kind + "campaign")
				}
			}
			seed.PortalDocument(t, c.name, body)
			seed.SynthesisDocument(t, c.name, row)
		}
	}
	seed.SynthesisDocument(t, c.name, apitest.Fields{
		"id": c.id("hidden row"), "synthesis_type": "lane", "lane_id": c.id("hidden lane"),
	})
}
