//go:build partners

package docs_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// explored is what the page showed of one key's brand, of all time.
type explored struct {
	Tiles, Source, Message, Listed, Scopes, Campaigns, Address string
	Charts                                                     int
	Search                                                     bool
	Sent                                                       []string
}

// The explorer shows what the API counts, for a brand with a year of interviews, with one,
// none and 100,000, in legacy mode and for keys without scopes, and a reader can do with it
// what they came for. It asks no other origin, fits every width, and axe finds nothing.
func TestExplorer_InABrowser(t *testing.T) {
	srv, seed := partnerserver.Start(t, 600, time.Hour)
	for _, slug := range []string{"one", "none", "many"} {
		seed.Client(t, slug, "canonical")
	}
	seed.Interview(t, "one", apitest.Fields{"best_quote": "<b>1 & \"only\"</b>"})
	seed.Exec(t, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, nps_score, best_quote)
		SELECT $1, gen_random_uuid(), now() - n * interval '7 minutes', 'completed', 'passed', true, true, n % 11, 'No. ' || n
		FROM generate_series(1, 100000) AS n`, seed.Clients["many"])
	issue := func(client string, scopes ...auth.Scope) string {
		return srv.Issue(t, apikey.Request{Client: client, Name: t.Name(), Scopes: scopes}).Key
	}
	keys := map[string]string{
		"every": issue("brightlarder", auth.All()...), "legacy": issue("alderpeak", auth.Default()...), "one": issue("one", auth.All()...),
		"none": issue("none", auth.All()...), "many": issue("many", auth.Default()...), "campaigns": issue("brightlarder", auth.ReadCampaigns),
		"searcher": issue("brightlarder", auth.ReadInterviewsMetadata, auth.ReadCustomExtraction),
	}
	pictures := os.Getenv("SCREENSHOTS")
	folder := &npm.Folder{Path: "."}
	text, err := json.Marshal(keys)
	require.NoError(t, err)
	stdout, stderr, exit := folder.Run(t, "explore.mjs", srv.URL, string(text), pictures)
	if exit != 0 {
		t.Fatalf("exit %d:\n%s", exit, stderr)
	}
	var got struct {
		Complaints, Foreign, Overflow, Violations []string
		Views                                     map[string]explored
		Steps                                     map[string]string
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got), stdout)
	for what, found := range map[string][]string{
		"the browser complains": got.Complaints, "another origin was asked": got.Foreign,
		"wider than the window": got.Overflow, "axe finds": got.Violations,
	} {
		if len(found) > 0 {
			t.Errorf("%s: %s", what, strings.Join(found, "\n"))
		}
	}
	for name, view := range got.Views {
		if name != "campaigns" {
			showsWhatTheAPICounts(t, srv, name, keys[name], view)
		}
		check.Lacks(t, view.Address, "cik_", name)
	}
	views, steps := got.Views, got.Steps
	for what, ok := range map[string]bool{
		"legacy says that it has no total": strings.Contains(views["legacy"].Source, "Legacy measurement"),
		"canonical says the total":         strings.Contains(views["every"].Source, "of all time. As of 20"),
		"none says so":                     views["none"].Message == "This brand has no interviews yet.",
		"one is listed":                    views["one"].Listed == "1 to 1, the last. A page costs one request.",
		"many are counted":                 strings.HasPrefix(views["many"].Source, "100,000 interviews"),
		"a scope is named":                 strings.Contains(views["campaigns"].Message, "read:interviews_metadata") && views["campaigns"].Charts == 0,
		"the scopes of a campaigns key":    strings.HasPrefix(views["campaigns"].Scopes, "hidden | shown | not asked yet"),
		"the scopes of a default key":      views["legacy"].Scopes == "shown | shown | hidden | hidden | hidden | told by opening an interview",
		"search needs its scope":           !views["legacy"].Search && views["searcher"].Search,
	} {
		if !ok {
			t.Errorf("not so: %s: %+v", what, views)
		}
	}
	check.Lacks(t, steps["Stored"], "cik_", "the key is kept in")
	delete(steps, "Stored")
	want := map[string]string{
		"Asked": "key-text", "Campaign": "?campaign=weekly-box weekly-box", "CampaignSent": "interviews", "Previous": "1 to 25 0", "Reloaded": "weekly-box",
		"Back": "", "Table": "true", "Csv": "true", "Png": "PNG nps-by-week", "Marked": "true", "Interview": "true true 0",
		"WentOn": "5", "Unavailable": "0 ", "Again": "5", // the sixth is shown as a table
		"Wrong": "Invalid API key. Paste another key. true null",
	}
	for step, says := range want {
		check.Equal(t, steps[step], says, step)
	}
	check.Equal(t, len(steps), len(want), "steps", steps)
	if pictures != "" {
		if info, err := os.Stat(filepath.Join(pictures, "explore.png")); err != nil || info.Size() > 150<<10 {
			t.Errorf("the README's picture: %v, %v", info, err)
		}
	}
}

// What the pages embed is what npm has under the hash of the lockfile.
func TestChartLibrary_IsThatOfItsArchive(t *testing.T) {
	const folder = "../../../web"
	(&npm.Folder{Path: folder}).Install(t)
	for file, original := range map[string]string{"chart.umd.min.js": "dist/chart.umd.min.js", "chart.LICENSE.txt": "LICENSE.md"} {
		own, err := os.ReadFile(filepath.Join(folder, "assets", file))
		npms, other := os.ReadFile(filepath.Join(folder, "node_modules/chart.js", original))
		if err != nil || other != nil || !bytes.Equal(own, npms) {
			t.Errorf("%s differs from %s: %v, %v", file, original, err, other)
		}
	}
}

// showsWhatTheAPICounts compares a view with one analytics response, and holds it to one
// request of each kind.
func showsWhatTheAPICounts(t *testing.T, srv *apitest.Server, name, key string, view explored) {
	t.Helper()
	var told struct {
		Data struct {
			Total                int
			Sentiment, Campaigns []struct {
				Label string
				Value int
			}
		}
	}
	srv.Get(t, "/api/client/v1/analytics/interviews?date_from=0001-01-01&date_to=9999-12-31", key).WantStatus(t, http.StatusOK).Decode(t, &told)
	s := told.Data.Sentiment
	scores := s[0].Value + s[1].Value + s[2].Value
	percent := func(n int) string { return number(float64(n)*100/float64(scores)) + " %" }
	nps := number(float64(s[0].Value-s[2].Value) * 100 / float64(scores))
	if strings.HasPrefix(nps, "-") {
		nps = "−" + nps[1:]
	} else if nps != "0" {
		nps = "+" + nps
	}
	tiles := strings.Join([]string{nps, number(float64(told.Data.Total)), percent(s[0].Value), percent(s[1].Value), percent(s[2].Value)}, " | ")
	if scores == 0 {
		tiles = "– | 0 | – | – | –"
	}
	check.Equal(t, view.Tiles, tiles, name)
	rows := strings.Split(view.Campaigns, " | ")
	for i, campaign := range told.Data.Campaigns {
		if i >= len(rows) || !strings.HasPrefix(rows[i], campaign.Label) || !strings.Contains(rows[i], number(float64(campaign.Value))) {
			t.Errorf("%s: the campaigns are %q, want %v", name, rows, told.Data.Campaigns)
		}
	}
	check.Equal(t, view.Charts, 6, name)
	var routes []string
	for _, path := range view.Sent {
		route, _, _ := strings.Cut(path, "?")
		routes = append(routes, route)
	}
	slices.Sort(routes)
	check.Slices(t, routes, []string{"analytics/interviews", "campaigns", "interviews"}, name)
}

// number is a number as the page writes it: one decimal at most, thousands apart.
func number(n float64) string {
	text := strings.TrimSuffix(fmt.Sprintf("%.1f", n), ".0")
	if whole, _, _ := strings.Cut(text, "."); len(whole) > 4 || len(whole) == 4 && whole[0] != '-' {
		text = text[:len(whole)-3] + "," + text[len(whole)-3:]
	}
	return text
}
