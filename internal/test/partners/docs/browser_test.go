//go:build partners

package docs_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/partners/npm"
	"github.com/clientintel/clientintel/internal/test/require"
)

type answer struct {
	Status, Line, Headers, Body, Curl string
	Next                              bool
}

type seen struct {
	Operations, Complaints, Foreign, Overflow, Overlaps, Violations, Broken, Languages, Clipped, Uncopied []string

	Answers map[string]answer
	Guides  map[string]string
	Found   map[string][]string

	Stored, Skip, Sample, Copied, Address, Missing, KeyAfterGuide, KeyOfNewTab string
}

// A browser shows every operation of the served contract, tries them with a key
// that it keeps for the tab's life, complains of nothing and asks no other origin.
// axe finds nothing wrong with any page, light or dark, at four widths; none breaks between
// 320 and 1920 pixels.
// SCREENSHOTS names a folder to keep its pictures in.
func TestReference_InABrowser(t *testing.T) {
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, "globex", apitest.Fields{"slug": "winter-launch"})
	for _, day := range []string{"2026-03-01", "2026-03-02", "2026-03-03"} {
		seed.Interview(t, "globex", apitest.Fields{"campaign_id": campaign, "created_at": apitest.At(day)})
	}
	key := srv.Issue(t, apikey.Request{Client: "globex", Name: t.Name(), Scopes: auth.All()}).Key
	pictures := os.Getenv("SCREENSHOTS")
	if pictures == "" {
		pictures = t.TempDir()
	}
	folder := &npm.Folder{Path: "."}
	stdout, stderr, exit := folder.Run(t, "browse.mjs", srv.URL, key, pictures)
	if exit != 0 {
		t.Fatalf("exit %d:\n%s", exit, stderr)
	}
	var got seen
	require.NoError(t, json.Unmarshal([]byte(stdout), &got), stdout)
	want := operations(t, srv)
	slices.Sort(got.Operations)
	check.Slices(t, got.Operations, want)
	for what, found := range map[string][]string{
		"the browser complains": got.Complaints, "another origin was asked": got.Foreign, "wider than the window": got.Overflow,
		"axe finds": got.Violations, "broken inside a word": got.Broken, "clipped": got.Clipped,
		"parts of the bar overlap": got.Overlaps, "code without a button that copies it": got.Uncopied,
	} {
		if len(found) > 0 {
			t.Errorf("%s: %v", what, found)
		}
	}
	if len(got.Guides) != 2 || got.Guides["bi-guide"] != "BI guide" || got.Guides["agent-guide"] != "Agent guide" {
		t.Errorf("guides: %v", got.Guides)
	}
	if strings.Contains(got.Stored, "cik_") || got.Address != "/docs/agent-guide" || got.KeyAfterGuide != key || got.KeyOfNewTab != "" {
		t.Errorf("the key is kept in %s; the address says %q; after a guide it is %q, in a new tab %q", got.Stored, got.Address, got.KeyAfterGuide, got.KeyOfNewTab)
	}
	check.Equal(t, got.Skip, "Skip to the content main", "the first stop of the keyboard is")
	if want := []string{"curl", "Python", "JavaScript", "Go", "Python client", "TypeScript client", "Go client"}; !slices.Equal(got.Languages, want) {
		t.Errorf("languages %v, want %v", got.Languages, want)
	}
	if !strings.HasPrefix(got.Sample, "package main") {
		t.Errorf("the language chosen on another page is not remembered: %q", got.Sample)
	}
	if got.Missing != "No such page" || !strings.HasPrefix(got.Copied, "curl '"+srv.URL) {
		t.Errorf("an unknown page says %q; what was copied is %q", got.Missing, got.Copied)
	}
	for words, want := range map[string]string{
		"pagination": "Guides: docs#pages", "webhook": "Guides: docs#pages", "auth": "Guides: docs#keys-and-scopes", "token": "Guides: docs#keys-and-scopes",
		"retry-after": "Guides: docs#limits", "excel": "Guides: docs/bi-guide#8-power-bi-and-excel", "sdk": "Guides: docs/clients",
		"timezone": "Guides: docs#parameters-are-strict", "promoter": "Fields: docs/InterviewAnalytics#sentiment", "read:transcripts": "Operations: docs/listInterviews",
		"429": "Errors: docs/errors#rate_limited", "nps_score": "Fields: docs/Interview#nps_score",
	} {
		if !slices.Contains(got.Found[words], want) {
			t.Errorf("the search for %q finds %q, want %q among them", words, got.Found[words], want)
		}
	}
	if found := got.Found["429"]; len(found) == 0 || found[0] != "Errors: docs/errors#rate_limited" {
		t.Errorf("the first of what the search for 429 finds is %q", found)
	}
	triesAreReal(t, srv, key, got.Answers)
}

func operations(t *testing.T, srv *apitest.Server) []string {
	t.Helper()
	var contract struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	srv.Get(t, "/api/client/v1/openapi.json", "").WantStatus(t, http.StatusOK).Decode(t, &contract)
	var ids []string
	for _, path := range contract.Paths {
		for _, operation := range path {
			ids = append(ids, operation.OperationID)
		}
	}
	slices.Sort(ids)
	return ids
}

func triesAreReal(t *testing.T, srv *apitest.Server, key string, answers map[string]answer) {
	t.Helper()
	for name, status := range map[string]string{
		"no key": "401", "refused": "400", "list": "200", "next page": "200", "one": "200", "search": "200",
	} {
		if got := answers[name]; got.Status != status {
			t.Errorf("%s: answered %+v, want %s", name, got, status)
		}
	}
	list := answers["list"]
	var shown, told struct {
		Data []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(list.Body), &shown), list.Body)
	srv.Get(t, "/api/client/v1/interviews?limit=2", key).WantStatus(t, http.StatusOK).Decode(t, &told)
	if len(shown.Data) != 2 || len(told.Data) != 2 || shown.Data[0]["id"] != told.Data[0]["id"] || shown.Data[1]["id"] != told.Data[1]["id"] {
		t.Errorf("shows %v, the API tells %v", shown.Data, told.Data)
	}
	if !list.Next || !strings.Contains(list.Line, "of 600 requests left") || !strings.Contains(list.Headers, "x-request-id: ") {
		t.Errorf("the first of two pages is shown as %q, next page offered: %v", list.Line, list.Next)
	}
	if want := "curl '" + srv.URL + "/api/client/v1/interviews?limit=2' \\\n  -H \"Authorization: Bearer $CLIENTINTEL_KEY\""; list.Curl != want {
		t.Errorf("the line to paste is %q, want %q", list.Curl, want)
	}
}
