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
func (b client) id(of string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte(b.name+" "+of))
}

func (b client) word() string { return b.name + "word" }

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
	for _, b := range clients {
		b.fill(t, seed)
	}
	m, metered := startQueryCounter(t, srv.Database.ServerURL)
	srv.Database.ServerURL = metered
	srv.URL = srv.StartAnother(t, func(c *config.Server) { c.CursorSecret = strings.Repeat("one secret for every installation ", 2) })
	w := &installation{Server: srv, counter: m, keys: map[string]*keyPool{}}
	for _, b := range clients {
		w.keys[b.name] = &keyPool{issue: func() string {
			return srv.Issue(t, apikey.Request{Client: b.name, Name: "isolation", Scopes: auth.All()}).Key
		}}
	}
	return w
}

func (b client) fill(t *testing.T, seed *apitest.Seed) {
	t.Helper()
	client := b.id("client")
	seed.Exec(t, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, 'Same', $3, 'canonical_measurement.v1')`, client, b.name, b.mode)
	seed.Clients[b.name] = client
	ownDay, err := time.Parse(time.DateOnly, b.day)
	if err != nil {
		t.Fatal(err)
	}
	ownDay = ownDay.Add(9 * time.Hour)
	common := apitest.At("2026-03-01T09:00:00Z")
	json := func(text string) json.RawMessage { return json.RawMessage(text) }

	campaign := func(of, slug, status string, at time.Time) {
		seed.Campaign(t, b.name, apitest.Fields{
			"id": b.id(of), "slug": slug, "display_name": "Same", "goal": b.word(), "launch_status": status,
			"created_at": at, "updated_at": at,
		})
	}
	campaign("campaign", "same", "live", common)
	campaign("own campaign", b.name+"-campaign", "live", ownDay)
	campaign("ended campaign", b.name+"-ended", b.name+"-status", common)
	lane := func(of, slug string, visible bool) {
		seed.Lane(t, b.name, apitest.Fields{"id": b.id(of), "slug": slug, "display_name": "Same", "visible": visible})
	}
	lane("lane", "same", true)
	lane("own lane", b.name+"-lane", true)
	lane("hidden lane", b.name+"-hidden", false)

	interview := func(id uuid.UUID, of string, at time.Time, change apitest.Fields) {
		fields := apitest.Fields{
			"id": id, "campaign_id": b.id(of), "created_at": at, "status": b.status, "best_quote": "Same and " + b.word(),
			"custom_extraction": json(fmt.Sprintf(`{"primary_pain_points": %q}`, b.word())),
		}
		for name, value := range change {
			fields[name] = value
		}
		seed.Interview(t, b.name, fields)
	}
	for n := range 3 {
		interview(b.id(fmt.Sprint("interview ", n)), "campaign", common, nil)
	}
	interview(shared, "campaign", common, nil)
	interview(b.id("own interview"), "own campaign", ownDay, nil)
	interview(b.id("unusable interview"), "campaign", common, apitest.Fields{"client_safe": false})
	interview(b.id("ended interview"), "ended campaign", common, nil)

	basis := seed.SavedBasis(t, b.name, []uuid.UUID{shared}, apitest.Fields{"id": b.id("basis")})
	for _, of := range []string{"home", "daily_feed", "lane", "campaign", "playbook", "creative_concept"} {
		for _, own := range []bool{false, true} {
			kind, day := "", common
			if own {
				kind, day = "own ", ownDay
			}
			body := apitest.Fields{
				"id": b.id(kind + of + " body"), "type": of, "published_at": day,
				"body": json(fmt.Sprintf(`{"schema": "same.v1", "headline": %q}`, b.word())), "measurement_snapshot_id": basis,
			}
			row := apitest.Fields{
				"id": b.id(kind + of + " row"), "synthesis_type": of, "document": json(fmt.Sprintf(`{"headline": %q}`, b.word())),
				"last_refreshed": day, "updated_at": day, "created_at": day,
			}
			for _, fields := range []apitest.Fields{body, row} {
				switch of {
				case "daily_feed":
					fields["feed_date"] = day
				case "lane":
					fields["lane_id"] = b.id(kind + "lane")
				case "campaign":
					fields["campaign_id"] = b.id(kind + "campaign")
				}
			}
			seed.PortalDocument(t, b.name, body)
			seed.SynthesisDocument(t, b.name, row)
		}
	}
	seed.SynthesisDocument(t, b.name, apitest.Fields{
		"id": b.id("hidden row"), "synthesis_type": "lane", "lane_id": b.id("hidden lane"),
	})
}
