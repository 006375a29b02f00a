package clientintel_test

import (
	"fmt"
	"log"
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Where the examples read: a server with twelve interviews of the client globex.
var baseURL, key, narrowKey string

// standing is the test that the examples' server stands in: they have none.
type standing struct {
	testing.TB
	undo []func()
}

func (s *standing) Helper()                      {}
func (s *standing) Cleanup(f func())             { s.undo = append(s.undo, f) }
func (s *standing) Fatalf(text string, v ...any) { log.Fatalf(text, v...) }
func (s *standing) Errorf(text string, v ...any) { log.Printf(text, v...) }

func TestMain(m *testing.M) {
	s := &standing{}
	srv, seed := apitest.Start(s)
	baseURL = srv.URL
	campaign := seed.Campaign(s, "globex", apitest.Fields{"slug": "spring", "display_name": "Spring"})
	for i := range 12 {
		seed.Interview(s, "globex", apitest.Fields{
			"id":         fmt.Sprintf("00000000-0000-4000-8000-0000000000%02d", i),
			"created_at": apitest.At("2026-03-20").AddDate(0, 0, -i), "nps_score": i % 11, "campaign_id": campaign,
		})
	}
	seed.Interview(s, "acme", nil)
	for range 3 {
		seed.SynthesisDocument(s, "globex", nil)
		seed.PortalDocument(s, "globex", nil)
	}
	key = srv.KeyFor(s, "globex")
	narrowKey = srv.KeyFor(s, "globex", auth.ReadCampaigns)
	code := m.Run()
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	os.Exit(code)
}
