// Command clientserver is the live server that the tests of the Go client read.
// They are of another module, and its own tests would give partners the server's
// dependencies. It prints where it is, and ends when its standard input does.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// standing takes the place of the test that apitest requires: outside of one.
type standing struct {
	testing.TB
	undo []func()
}

func (s *standing) Helper()                      {}
func (s *standing) Cleanup(f func())             { s.undo = append(s.undo, f) }
func (s *standing) Fatalf(text string, v ...any) { log.Fatalf(text, v...) }
func (s *standing) Errorf(text string, v ...any) { log.Printf(text, v...) }

func main() {
	s := &standing{}
	srv, seed := apitest.Start(s)
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
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"url": srv.URL, "key": srv.KeyFor(s, "globex"), "narrow": srv.KeyFor(s, "globex", auth.ReadCampaigns),
	}); err != nil {
		log.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}
