package server_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// A walk returns each row that existed throughout it exactly once, whatever is inserted,
// withdrawn or restored meanwhile.
func TestWalks_AreStableWhileRowsCome(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	random := rand.New(rand.NewPCG(3, 4))
	on := newShelf(t, seed, "acme")
	there := map[string]map[string]bool{} // by path
	add := func(path, id string) {
		if there[path] == nil {
			there[path] = map[string]bool{}
		}
		there[path][id] = true
	}
	interviewRows := seedRows(t, seed, random, "acme", 60)
	for _, r := range interviewRows {
		add(interviews+"?limit=6", r.id)
	}
	for _, r := range seedCampaigns(t, seed, random, "acme", 30) {
		add(campaigns+"?limit=4", r.id)
	}
	for _, d := range seedDocuments(t, seed, random, "acme", on, 40) {
		add(synthesisPath+"?limit=3", d.id)
	}
	for _, b := range seedBodies(t, seed, random, "acme", on, 80) {
		if b.kind == "lane" {
			add(portal+"&type=lane&limit=3", b.id)
		}
	}
	for path, rows := range there {
		seen := map[string]int{}
		key := srv.Issue(t, keyRequest("acme")).Key
		for pages, cursor := 0, ""; pages == 0 || cursor != ""; pages++ {
			list := srv.Get(t, path+cursor, key).List(t)
			for _, id := range list.IDs(t) {
				seen[id]++
			}
			if cursor = list.NextCursor(t); cursor != "" {
				cursor = "&starting_after=" + cursor
			}
			if pages >= 8 {
				continue
			}
			seedRows(t, seed, random, "acme", 5)
			seedCampaigns(t, seed, random, "acme", 2)
			seedDocuments(t, seed, random, "acme", on, 3)
			seedBodies(t, seed, random, "acme", on, 6)
			if strings.HasPrefix(path, interviews) {
				withdrawn := interviewRows[random.IntN(len(interviewRows))]
				seed.Exec(t, "UPDATE interviews SET reportable = NOT reportable WHERE id = $1", withdrawn.id)
				delete(rows, withdrawn.id)
			}
		}
		for id := range rows {
			check.Equal(t, seen[id], 1, path, id)
		}
		for id, times := range seen {
			if times > 1 {
				t.Errorf("%s: row %s was seen %d times", path, id, times)
			}
		}
	}
}
